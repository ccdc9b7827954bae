/** Lines of the service that a fuzzed one may write at a level at which nothing else may be. */
const expected: ReadonlyArray<RegExp> = [
  /^timestamp=\S+ level=(?:INFO|DEBUG) /,
  // Node's inspector, which this run uses itself.
  /^(?:Debugger |For help, see:|Waiting for the debugger)/,
  /failed on purpose|crashed on purpose/,
  /^atrium: SIGTERM/,
  // At the end the cluster takes its only runner off the list, and warns that there is none.
  /level=WARN .*message="No healthy runners available" module=effect\/cluster\/Sharding/,
  /^\s*$/
]

/** The room of the fuzzed project that is there to crash. */
const mayEnd = /room=fragile /
const roomEnded = /the room's process ended: (?!stopped)/

/**
 * Lines that say of a fault of the service: an error or warning that nobody provoked, something that
 * no logger wrote, a process of a room that behaves and ended all the same.
 */
export const faultsIn = (
  output: string,
  projects: { readonly fuzzed: string; readonly hostile: string }
): ReadonlyArray<string> =>
  output
    .slice(output.indexOf("\nready http:"))
    .split("\n")
    .slice(2)
    .filter((line) => {
      if (line.includes(`project=${projects.hostile}`)) return false
      if (roomEnded.test(line)) return !mayEnd.test(line)
      return !expected.some((known) => known.test(line))
    })
