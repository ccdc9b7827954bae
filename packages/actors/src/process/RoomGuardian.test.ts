import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"

import { afterEach, expect, test } from "vitest"

import { RoomGuardian } from "./RoomGuardian.ts"

const sleepers: Array<ChildProcess> = []

/** A process that does nothing until it is ended. */
const sleeper = (): { readonly child: ChildProcess; readonly pid: number } => {
  const child = spawn("sleep", ["60"], { stdio: "ignore" })
  sleepers.push(child)
  if (child.pid === undefined) throw new Error("no sleeper")
  return { child, pid: child.pid }
}

afterEach(() => {
  for (const child of sleepers.splice(0)) child.kill("SIGKILL")
})

test("[D-50] what is watched ends with the guardian, what was forgotten goes on", async () => {
  const guardian = new RoomGuardian()
  const [first, forgotten, last] = [sleeper(), sleeper(), sleeper()]
  for (const { pid } of [first, forgotten, last]) guardian.watch(pid)
  guardian.forget(forgotten.pid)
  const ends = [first, last].map(({ child }) => once(child, "exit"))
  await guardian.close()
  expect(await Promise.all(ends)).toEqual([
    [null, "SIGKILL"],
    [null, "SIGKILL"]
  ])
  // Signal 0 only asks whether the process is there.
  expect(process.kill(forgotten.pid, 0)).toBe(true)
})

test("[D-50] a process that never ran is not mistaken for a whole group", async () => {
  const guardian = new RoomGuardian()
  guardian.watch(0)
  await guardian.close()
  expect(process.kill(process.pid, 0)).toBe(true)
})
