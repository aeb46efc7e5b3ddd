import { expect, test } from "vitest";
import { FailureReporter } from "../../src/shared/failure-reporter.ts";

test("a failure that repeats is reported once until the work succeeds", () => {
  const reported: unknown[] = [];
  const failures = new FailureReporter((error) => reported.push(error));
  failures.succeeded();
  failures.failed("first");
  failures.failed("second");
  failures.succeeded();
  failures.failed("third");
  expect(reported).toEqual(["first", "third"]);
});

test("a failure of another kind is reported", () => {
  const reported: unknown[] = [];
  const failures = new FailureReporter((error) => reported.push(error));
  failures.failed("full disk", "ENOSPC");
  failures.failed("full disk", "ENOSPC");
  failures.failed("no permission", "EACCES");
  expect(reported).toEqual(["full disk", "no permission"]);
});
