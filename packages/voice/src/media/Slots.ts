import { isHeard, type VoiceGroups } from "@atrium/wire/voice/VoiceGroups"

/** A participant that speaks, and whom the listener may hear. */
export interface Speaker {
  readonly participant: number
  readonly loudness: number
}

/** The speakers of a listener by slot; `null` = nobody has had it. */
export type Slots = ReadonlyArray<number | null>

/** A speaker in a slot loses it to another one only if that one is so much louder, in dB. */
const StayBonus = 6

export const emptySlots = (count: number): Slots => Array.from({ length: count }, () => null)

/**
 * Gives the loudest speakers a slot. A slot keeps its speaker for as long as no louder one needs the slot,
 * also while the speaker is silent: the listener hears no cut.
 */
export const nextSlots = (slots: Slots, speakers: ReadonlyArray<Speaker>): Slots => {
  const rank = ({ participant, loudness }: Speaker): number =>
    loudness + (slots.includes(participant) ? StayBonus : 0)
  const loudest = [...speakers]
    .sort((one, other) => rank(other) - rank(one) || one.participant - other.participant)
    .slice(0, slots.length)
    .map(({ participant }) => participant)
  const coming = loudest.filter((participant) => !slots.includes(participant))
  if (coming.length === 0) return slots
  const next = [...slots]
  for (const participant of coming) {
    const empty = next.indexOf(null)
    const at =
      empty === -1 ? next.findIndex((held) => held !== null && !loudest.includes(held)) : empty
    next[at] = participant
  }
  return next
}

/** The slots without a participant that has left, or may not be heard any more. */
export const withoutSpeakers = (slots: Slots, gone: (participant: number) => boolean): Slots =>
  slots.some((held) => held !== null && gone(held))
    ? slots.map((held) => (held !== null && gone(held) ? null : held))
    : slots

/** Somebody in a call, as far as it matters who hears whom. */
export interface Listener {
  readonly id: number
  readonly groups: VoiceGroups
  readonly slots: Slots
}

/** The slots of a listener once the loudest of those that it may hear are in them; the same ones when nothing changes. */
export const slotsOf = <Someone extends Listener>(
  { id, groups, slots }: Listener,
  participants: ReadonlyMap<number, Someone>,
  loudnessOf: (speaker: Someone) => number | null
): Slots => {
  const mayHear = (other: Listener): boolean => other.id !== id && isHeard(other.groups, groups)
  const held = withoutSpeakers(slots, (speaker) => {
    const participant = participants.get(speaker)
    return participant === undefined || !mayHear(participant)
  })
  const speakers: Array<Speaker> = []
  for (const each of participants.values()) {
    const loudness = loudnessOf(each)
    if (loudness !== null && mayHear(each)) speakers.push({ participant: each.id, loudness })
  }
  return nextSlots(held, speakers)
}
