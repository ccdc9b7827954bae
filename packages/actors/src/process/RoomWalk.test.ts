import { until } from "@atrium/domain/testing/Until"
import { expect, test } from "vitest"

import { readBootSource } from "./BootSource.ts"
import { HeldFrames } from "./HeldFrames.ts"
import { StandardPace } from "./ProcessPace.ts"
import { RoomChild } from "./RoomChild.ts"
import { RoomHost } from "./RoomHost.ts"
import { makeSendWindow } from "./SendWindow.ts"
import { launchHere, scriptOf, startOf, TestListener } from "./TestProcesses.ts"
import { walkOf } from "./TestRoomWalk.ts"

/** Classes beyond the globals that room code may find. Each of them holds what the room gave it. */
const Allowed = [
  // Boot's own, around Node's.
  "RoomTimeout",
  "RoomImmediate",
  // What buffers are instances of, and what Node throws.
  "FastBuffer",
  "NodeError",
  "QuotaExceededError",
  "URLSearchParams Iterator",
  // The lists of listeners of an event target, and of the sources of an `AbortSignal.any`.
  "Listener",
  "SafeMap",
  "SafeSet",
  "SafeWeakRef"
]

const boot = readBootSource(process.execPath)

/**
 * Walks through a room process that runs this code as its boot; answers with what it says.
 * @param finds ends the walk when it is said
 */
const walk = async (bootCode: string, finds?: RegExp): Promise<ReadonlyArray<string>> => {
  const heard = new TestListener()
  const host = new RoomHost(
    (owner) => new RoomChild(launchHere({ ...boot, code: bootCode }, 256), owner, makeSendWindow()),
    {
      memoryMiB: 256,
      pace: StandardPace,
      held: new HeldFrames(),
      memoryOf: () => null,
      mappedBytesOf: () => Promise.resolve(null)
    },
    () => undefined
  )
  host.claim(heard.listener)
  const script = `
    exports.connect = (port) => {
      const say = console.log
      const body = async () => { ${walkOf(Allowed)} }
      body().then(() => say("walk: done"), (error) => say("walk: failed " + error.stack))
      return () => {}
    }
  `
  host.start(startOf(scriptOf(script)))
  const isOver = () =>
    heard.calls.some(([name]) => name === "exited") ||
    (finds !== undefined && saidBy(heard).some((line) => finds.test(line)))
  await until("the end of the walk", () => saidBy(heard).includes("done") || isOver())
  host.kill("stopped")
  await heard.exit()
  return saidBy(heard)
}

/** Without places: the walk calls what makes lines end in theirs. */
const saidBy = ({ lines }: TestListener): ReadonlyArray<string> =>
  lines
    .filter((line) => line.startsWith("walk: "))
    .map((line) => line.slice("walk: ".length).replace(/ \([^\s()]+:\d+:\d+\)$/, ""))

test("[C-190] nothing that room code can find or call leads to a message port, a loader or a class of Node's", async () => {
  expect(await walk(boot.code)).toEqual(["enough true", "done"])
})

/** A line of boot, and what stands there without the mend. */
type Hole = readonly [line: string, without: string]

// The walk is worth what it finds: each wall is taken out once.
test.each<[string, Hole, RegExp]>([
  [
    "a message port by a signal's own methods",
    ["sweepSymbols()\n", ""],
    /^instance of MessagePort by signal\[Symbol\(messaging_transfer_list_symbol\)]/
  ],
  [
    "a class of native code by a decoder",
    ["TextDecoder: roomDecoder(TextDecoder)", "TextDecoder"],
    /Converter by /
  ],
  ["Node's lists of timers", ["...roomTimers()", ""], /instance of Timeout by setTimeout/],
  ["Node's timer as this", ["() => timer()", "timer"], /Timeout by port\.setTimer\.this/],
  ["the real process", ["process: roomProcess(log)", "process"], /instance of process by /],
  ["a loader", ['refuse("require")', "Node.load"], / by require\(/]
])("[C-190] the walk finds %s where boot leaves it", async (_, [line, without], says) => {
  expect(boot.code).toContain(line)
  const load = "Node = { load: process.getBuiltinModule,"
  // A shared process has its own words of some.
  const code = boot.code.replaceAll(line, without).replace("Node = {", load)
  expect(await walk(code, says)).toContainEqual(expect.stringMatching(says))
})
