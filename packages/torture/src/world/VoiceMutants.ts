import type { MeterCounts } from "@atrium/actors/meters/RunnerMeter"
import type { ParticipantListener } from "@atrium/actors/voice/RunnerMedia"

import type { Mutant } from "./Mutant.ts"
import type { Parts } from "./Parts.ts"
import { rightVoice, type VoiceParts } from "./VoiceParts.ts"

/** One of nine worlds has calls: these are such. */
const near = [19, 127, 235]

const mutant = (says: string, parts: Partial<Parts>): Mutant => ({
  says,
  rule: "calls",
  parts,
  near
})

const voice = (says: string, changed: Partial<VoiceParts>): Mutant =>
  mutant(says, { voice: { ...rightVoice, ...changed } })

/** Changes how the time of participants counts. */
const counting = (says: string, change: (counts: MeterCounts) => Partial<MeterCounts>): Mutant =>
  mutant(says, { counts: (counts) => Object.assign(counts, change(counts)) })

const without = (listener: ParticipantListener): ParticipantListener => ({
  joined: (answer) => listener.joined(answer),
  offered: (offer) => listener.offered(offer),
  refused: (refusal) => listener.refused(refusal),
  slotsChanged: (speakers) => listener.slotsChanged(speakers),
  lost: () => undefined
})

/** Faults of calls, each as somebody might make it. */
export const voiceMutants: ReadonlyArray<Mutant> = [
  counting("a participant counts a millisecond too long", (counts) => {
    const began = counts.began.bind(counts)
    return {
      began: (metered, nowMs) =>
        began(metered, metered.meter === "voiceMinutes" ? nowMs - 1 : nowMs)
    }
  }),
  counting("what a participant talked since the last report is lost when it leaves", (counts) => {
    const ended = counts.ended.bind(counts)
    return {
      ended: (metered, nowMs) =>
        ended(metered, metered.meter === "voiceMinutes" ? Number.NEGATIVE_INFINITY : nowMs)
    }
  }),
  voice("a participant whose connection ends goes on counting", {
    calls: (calls) => ({
      ...calls,
      of: (room) => Object.assign(calls.of(room), { left: () => undefined })
    })
  }),
  voice("nobody hears that the media are lost", {
    media: (media) => ({
      prepare: () => media.prepare(),
      join: (participant, join, listener) => media.join(participant, join, without(listener)),
      answer: (participant, answer) => media.answer(participant, answer),
      leave: (participant) => media.leave(participant),
      setGroups: (participant, groups) => media.setGroups(participant, groups)
    })
  }),
  voice("a participant that leaves stays in the media", {
    media: (media) => ({
      prepare: () => media.prepare(),
      join: (participant, join, listener) => media.join(participant, join, listener),
      answer: (participant, answer) => media.answer(participant, answer),
      leave: () => undefined,
      setGroups: (participant, groups) => media.setGroups(participant, groups)
    })
  }),
  voice("a call takes one participant more than its type declares", {
    calls: (calls) => ({
      ...calls,
      of: (room) => {
        const declared = room.capacity()
        return calls.of({ ...room, capacity: () => (declared === null ? null : declared + 1) })
      }
    })
  })
]
