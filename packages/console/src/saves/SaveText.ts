import { ConsoleLimits } from "@atrium/domain/console/ConsoleLimits"
import { InspectLimits } from "@atrium/domain/inspect/InspectLimits"
import type { Save } from "@atrium/domain/rooms/RoomsApi"

/** Why a save was made. A newer service may name reasons that this page does not know. */
export const reasonText = (reason: string): string => reasons.get(reason) ?? reason

const reasons: ReadonlyMap<string, string> = new Map([
  ["interval", "while the room played"],
  ["hibernate", "as the room fell asleep"],
  ["manual", "when room code asked"],
  ["restore", "by a restore"]
])

/** The saves that a reader has chosen: one is opened, two are compared, the older one first. */
export type Chosen =
  | { readonly _tag: "None" }
  | { readonly _tag: "One"; readonly save: Save }
  | { readonly _tag: "Two"; readonly before: Save; readonly after: Save }

/** @param saves the newest first */
export const chosenOf = (saves: ReadonlyArray<Save>, ids: ReadonlyArray<string | null>): Chosen => {
  const [first, second] = saves.filter(({ saveId }) => ids.includes(saveId))
  if (first === undefined) return { _tag: "None" }
  if (second === undefined) return { _tag: "One", save: first }
  return { _tag: "Two", before: second, after: first }
}

/** The ids after a click on a save: it goes, or comes in the place of the one that was chosen longest ago. */
export const idsAfter = (
  ids: ReadonlyArray<string | null>,
  clicked: string
): readonly [string | null, string | null] => {
  const there = ids.filter((id) => id !== null)
  const [first = null, second = null] = there.includes(clicked)
    ? there.filter((id) => id !== clicked)
    : [...there.slice(-1), clicked]
  return [first, second]
}

/** Whether a page opens it as a tree. */
export const isOpened = ({ bytes }: Pick<Save, "bytes">): boolean =>
  bytes <= InspectLimits.liveStateBytes.max

/** Whether a page compares it with another one. */
export const isCompared = ({ bytes }: Pick<Save, "bytes">): boolean =>
  bytes <= ConsoleLimits.consoleComparedBytes.max
