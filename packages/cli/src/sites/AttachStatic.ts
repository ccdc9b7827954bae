/**
 * A command line whose `--static dist` is `--static=dist`: the parser takes a value that may be left out
 * in that form alone. Source: C-373.
 */
export const attachStatic = (argv: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (argv[0] !== "deploy") return argv
  const end = argv.indexOf("--")
  const attached: Array<string> = []
  for (const [at, argument] of argv.entries()) {
    const isValue = attached.at(-1) === "--static" && (end === -1 || at < end)
    if (isValue && !argument.startsWith("-")) attached.splice(-1, 1, `--static=${argument}`)
    else attached.push(argument)
  }
  return attached
}
