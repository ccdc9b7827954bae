const names: ReadonlyArray<string> = ["simulate", "sim"]

/** Everything after `atrium sim` is for the program of that name, flags as well. */
export const passThrough = (argv: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [name = "", ...rest] = argv
  return names.includes(name) ? [name, "--", ...rest] : argv
}
