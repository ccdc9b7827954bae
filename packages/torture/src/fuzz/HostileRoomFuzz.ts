import { Chance } from "@atrium/api/testing/Chance"
import { ClientFrame, ServerFrame } from "@atrium/wire/frames/Frame"
import { packValue } from "@atrium/wire/msgpack/MsgpackWriter"

import { CaseContext, type Stage, Unexpected } from "./CaseContext.ts"
import { HostileWays, LiesPerLife } from "./HostileBundle.ts"
import type { Tally } from "./Tally.ts"

/** A room is ended with its third failure; the client of one that says nothing waits for 10 s. */
const OverMs = 30_000

const mayClose = (code: number | null): boolean =>
  code !== null && ([1000, 1008, 1011, 1012].includes(code) || (code >= 3000 && code <= 4999))

/** A client joins a room whose process is hostile: its connection must come to an end that has a code. */
export const sufferOne = async (
  stage: Stage,
  { seed, index }: { readonly seed: number; readonly index: number },
  tally: Tally
): Promise<void> => {
  const chance = Chance.of(seed, "rooms", index)
  const way = HostileWays[index] ?? chance.pick(HostileWays.filter((name) => name !== "silent"))
  const context = new CaseContext(stage, chance, tally)
  const kind = `hostile room: ${way}`
  try {
    const wire = await context.open(`${way}-${chance.below(1_000_000_000)}`, stage.hostileProject)
    wire.roomIsHostile = true
    wire.send(packValue([ClientFrame.hello, stage.hostileToken, "hostile"]))
    await wire.until(() => wire.closeCode !== null || wire.ended, OverMs)
    const lives = wire.frames.filter(([type]) => type === ServerFrame.welcome).length
    tally.sent("rooms", way === "lies" ? lives * LiesPerLife : lives)
    tally.count(kind, wire.closeCode === null ? "no close" : `close ${wire.closeCode}`)
    if (!mayClose(wire.closeCode)) throw new Unexpected(`close ${wire.closeCode} of a hostile room`)
    await context.over()
  } catch (error) {
    tally.fault({ part: "rooms", index, says: `${kind}: ${String(error)}` })
  }
}
