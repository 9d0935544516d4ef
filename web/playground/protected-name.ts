/** The name of a protected file: `letter.protected.txt` for `letter.txt`. */
export function protectedName(name = "text.txt"): string {
  const dot = name.lastIndexOf(".");
  return dot > 0 ? `${name.slice(0, dot)}.protected${name.slice(dot)}` : `${name}.protected`;
}
