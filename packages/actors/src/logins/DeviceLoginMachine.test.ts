import { expect, test } from "vitest"

import {
  type DeviceLoginAction,
  DeviceLoginEvent,
  DeviceLoginState,
  step
} from "./DeviceLoginMachine.ts"

const startMs = 1_700_000_000_000
const expiresAtMs = startMs + 600_000
const accountId = "acc_1"

const waiting = (polledAtMs: number | null = null) =>
  DeviceLoginState.Waiting({ expiresAtMs, polledAtMs })
const approved = DeviceLoginState.Approved({ expiresAtMs, accountId })
const denied = DeviceLoginState.Denied({ expiresAtMs })
const taken = DeviceLoginState.Taken({ expiresAtMs })

const polled = (nowMs: number) => DeviceLoginEvent.Polled({ nowMs })
const looked = (nowMs: number) => DeviceLoginEvent.Looked({ nowMs })
const decided = (nowMs: number, allow: boolean) =>
  DeviceLoginEvent.Decided({ nowMs, accountId, allow })

const told = (action: DeviceLoginAction): string => {
  switch (action._tag) {
    case "IssueToken":
      return `token for ${action.accountId}`
    case "RefuseTooSoon":
      return `too soon by ${action.retryAfterMs}`
    case "AskLater":
    case "Confirm":
    case "RefuseUnknown":
      return action._tag
  }
}

const at = startMs + 10_000
const last = expiresAtMs - 1

test.each<[DeviceLoginState, DeviceLoginEvent, DeviceLoginState, string]>([
  [waiting(), polled(at), waiting(at), "AskLater"],
  [waiting(), polled(last), waiting(last), "AskLater"],
  [waiting(), polled(expiresAtMs), waiting(), "RefuseUnknown"],
  [waiting(at), polled(at), waiting(at), "too soon by 5000"],
  [waiting(at), polled(at + 4999), waiting(at), "too soon by 1"],
  [waiting(at), polled(at + 5000), waiting(at + 5000), "AskLater"],
  [waiting(at), looked(at), waiting(at), "Confirm"],
  [waiting(at), looked(last), waiting(at), "Confirm"],
  [waiting(at), looked(expiresAtMs), waiting(at), "RefuseUnknown"],
  [waiting(at), decided(at, true), approved, "Confirm"],
  [waiting(at), decided(last, true), approved, "Confirm"],
  [waiting(at), decided(expiresAtMs, true), waiting(at), "RefuseUnknown"],
  [waiting(at), decided(at, false), denied, "Confirm"],
  // A device that waits for its first chance has no interval to keep.
  [approved, polled(at), taken, "token for acc_1"],
  [approved, polled(last), taken, "token for acc_1"],
  [approved, polled(expiresAtMs), approved, "RefuseUnknown"],
  [approved, looked(at), approved, "RefuseUnknown"],
  [approved, decided(at, false), approved, "RefuseUnknown"],
  [denied, polled(at), denied, "RefuseUnknown"],
  [denied, looked(at), denied, "RefuseUnknown"],
  [denied, decided(at, true), denied, "RefuseUnknown"],
  [taken, polled(at), taken, "RefuseUnknown"],
  [taken, looked(at), taken, "RefuseUnknown"],
  [taken, decided(at, true), taken, "RefuseUnknown"]
])("[D-23] %j, %j -> %j, %s", (state, event, ...after) => {
  const [next, action] = step(state, event)
  expect([next, told(action)]).toEqual(after)
})
