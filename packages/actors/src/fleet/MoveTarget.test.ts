import { FleetLimits } from "@atrium/domain/fleet/FleetLimits"
import { expect, test } from "vitest"

import type { RunnerRow } from "./FleetStore.ts"
import { moveTarget } from "./MoveTarget.ts"

const row = (runner: string, more: Partial<RunnerRow> = {}): RunnerRow => ({
  runner,
  startedAtMs: 0,
  version: "1.2.3",
  rooms: 1,
  clients: 1,
  load: 6,
  freeBytes: null,
  setting: "open",
  heardAtMs: 0,
  silentMs: 0,
  ...more
})

const [busy, calm] = [row("busy", { load: 12 }), row("calm", { load: 0 })]
const gone = row("gone", { load: 0, silentMs: FleetLimits.runnerSilent.ms })

test.each([
  [{ from: "busy", to: null }, [busy, calm, row("middle")], "calm"],
  [{ from: "calm", to: null }, [busy, calm, row("middle")], "middle"],
  [{ from: null, to: null }, [busy, calm], "calm"],
  [{ from: "calm", to: null }, [calm], null],
  [{ from: "busy", to: null }, [busy, gone, row("cordoned", { setting: "cordoned" })], null],
  [{ from: "calm", to: "busy" }, [busy, calm], "busy"],
  [{ from: "calm", to: "calm" }, [busy, calm], "calm"],
  [{ from: "calm", to: "gone" }, [calm, gone], null],
  [{ from: "calm", to: "nobody" }, [busy, calm], null]
] as const)(
  "[C-419] a room that is asked to move %o goes from %o to %s",
  (...[wanted, runners, to]) => {
    expect(moveTarget(runners, wanted)).toBe(to)
  }
)
