/** "oak.example/help" -> "oak dot example slash help". */
export function spellAddress(address: string): string {
  const names: Record<string, string> = {
    "@": " at ",
    ".": " dot ",
    "/": " slash ",
    _: " underscore ",
    "-": " dash ",
    "+": " plus ",
  };
  return address.replace(/[@./_+-]/g, (sign) => names[sign] ?? " ");
}
