/** Runs each command line of the second argument, with the program in the first one, and prints the results as JSON. */
import { pathToFileURL } from "node:url";

const [program, lines] = process.argv.slice(2);
const { runCommandLine } = await import(pathToFileURL(program).href);
const print = process.stdout.write.bind(process.stdout);
const results = [];
for (const args of JSON.parse(lines)) {
  const result = { status: undefined, stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"])
    process[name].write = (text, done) => {
      result[name] += text;
      done?.();
      return true;
    };
  result.status = await new Promise((resolve) => {
    process.exit = resolve;
    runCommandLine(args);
  });
  results.push(result);
  process.removeAllListeners("uncaughtException");
  for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners("error");
}
print(JSON.stringify(results));
