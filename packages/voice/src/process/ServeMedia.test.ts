import { VoiceMediaLimits } from "@atrium/domain/voice/VoiceMediaLimits"
import { everybody } from "@atrium/wire/voice/VoiceGroups"
import fc from "fast-check"
import { afterEach, describe, expect, test } from "vitest"

import { MediaClient } from "../media/testing/MediaClient.ts"
import { type MediaListener, MediaRefusal, type VoiceMedia } from "../media/VoiceMedia.ts"
import { WeriftMedia } from "../werift/WeriftMedia.ts"
import type { MediaWord } from "./MediaMessages.ts"
import { ServeMedia } from "./ServeMedia.ts"

/** Beside the ports of other tests. */
const ports = { min: 40_940, max: 40_959 }
const settings = { host: "127.0.0.1", addresses: ["127.0.0.1"], ports, janus: null }

const opened: Array<VoiceMedia> = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((media) => media.close()))
})

const openWerift = (listener: MediaListener): VoiceMedia =>
  new WeriftMedia(settings, listener, () => performance.now())

/** The media process of a test, and what it says. */
const serve = (open: (listener: MediaListener) => VoiceMedia = openWerift) => {
  const noted: Array<string> = []
  const answers = new Map<number, (answer: MediaWord) => void>()
  const serving = new ServeMedia(
    {
      say: (word) => {
        if (word.word === "joined" || word.word === "refused") answers.get(word.participant)?.(word)
      },
      note: (error) => void noted.push(String(error)),
      end: (why) => expect.unreachable(why)
    },
    (_, listener) => {
      const media = open(listener)
      opened.push(media)
      return media
    }
  )
  serving.take({ order: "begin", settings })
  /** @returns the answer to the join. Rejects when the service would have ended the process. */
  const join = (participant: number, offer: string): Promise<MediaWord> =>
    new Promise((resolve, reject) => {
      const late = () => reject(new Error("the join got no answer"))
      const timer = setTimeout(late, VoiceMediaLimits.voiceAnswer.ms)
      answers.set(participant, (answer) => {
        clearTimeout(timer)
        answers.delete(participant)
        resolve(answer)
      })
      serving.take({ order: "join", participant, call: 1, offer, groups: everybody })
    })
  const leave = (participant: number): void => serving.take({ order: "leave", participant })
  const present = (): number => opened[0]?.stats().participants ?? 0
  return { noted, join, leave, present }
}

const goodOffer = async (): Promise<string> => {
  const client = new MediaClient()
  const offer = await client.offer()
  await client.close()
  return offer
}

/** Lines that an SDP may have. */
const LineNames = [
  "a=fingerprint a=mid a=ice-ufrag a=ice-pwd a=setup a=extmap a=rtpmap a=fmtp a=rtcp a=rtcp-fb a=ssrc",
  "a=ssrc-group a=group a=rid a=msid a=simulcast a=sctpmap a=candidate a=bundle-only m=audio c= t= o="
].flatMap((names) => names.split(" "))

/** What a hostile client may do to a line of its offer. */
const Line = fc.oneof(fc.constantFrom(...LineNames), fc.string({ unit: "binary", maxLength: 40 }))
const Change = fc.oneof(
  { weight: 3, arbitrary: fc.record({ does: fc.constant("cut" as const), at: fc.nat() }) },
  fc.record({ does: fc.constant("drop" as const) }),
  fc.record({ does: fc.constant("double" as const) }),
  fc.record({ does: fc.constant("replace" as const), by: Line }),
  fc.record({ does: fc.constant("insert" as const), line: Line, value: Line })
)
const Changes = fc.array(fc.tuple(fc.nat(), Change), { minLength: 1, maxLength: 3 })

const changed = (line: string, change: typeof Change extends fc.Arbitrary<infer A> ? A : never) => {
  switch (change.does) {
    case "cut":
      return [line.slice(0, change.at % (line.length + 1))]
    case "drop":
      return []
    case "double":
      return [line, line]
    case "replace":
      return [line.replace(/(?<=[: ]).*/, change.by)]
    case "insert":
      return [line, change.line, `${change.line}:${change.value}`]
  }
}

describe("the orders of the service", () => {
  test("[C-891] an offer with a fingerprint without a value is refused, and others stay in their calls", async () => {
    const { join, noted, present } = serve()
    const offer = await goodOffer()
    expect(await join(1, offer)).toMatchObject({ word: "joined" })
    const bad = offer.replaceAll(/a=fingerprint:.*/g, "a=fingerprint:sha-256")
    expect(await join(2, bad)).toEqual({
      word: "refused",
      participant: 2,
      code: "E_BAD_MESSAGE",
      message: "voice: a fingerprint of the offer has no value"
    })
    expect([noted, present()]).toEqual([[], 1])
  })

  test.each([
    [
      "by its name",
      new MediaRefusal("E_VOICE_FULL", "voice: full"),
      { code: "E_VOICE_FULL", message: "voice: full" },
      []
    ],
    [
      "as a bad message, and notes it",
      new TypeError("no such thing"),
      { code: "E_BAD_MESSAGE", message: "voice: the offer cannot be answered" },
      ["TypeError: no such thing"]
    ]
  ])("[C-890] refuses a join that fails %s", async (...[, error, refusal, notes]) => {
    const left: Array<number> = []
    const { join, noted } = serve(() => ({
      join: () => Promise.reject(error),
      answer: () => {},
      leave: (participant) => void left.push(participant),
      setGroups: () => {},
      stats: () => ({ participants: 0 }),
      close: () => Promise.resolve()
    }))
    expect(await join(7, "sdp")).toEqual({ word: "refused", participant: 7, ...refusal })
    // What the join had made until then ends, too.
    expect([noted, left]).toEqual([notes, [7]])
  })

  test("[C-891] whatever lines an offer has, its join is answered or refused, and others stay", async () => {
    const { join, leave, noted, present } = serve()
    const offer = await goodOffer()
    await join(1, offer)
    const lines = offer.split("\r\n")
    const words = { joined: 0, refused: 0 }
    let numbered = 1
    await fc.assert(
      fc.asyncProperty(Changes, async (changes) => {
        const next = lines.map((line) => [line])
        for (const [at, change] of changes) {
          const place = at % next.length
          next[place] = next[place]?.flatMap((line) => changed(line, change)) ?? []
        }
        const id = ++numbered
        const { word } = await join(id, next.flat().join("\r\n"))
        if (word === "joined" || word === "refused") words[word]++
        expect([noted, present()]).toEqual([[], word === "joined" ? 2 : 1])
        leave(id)
        expect(present()).toBe(1)
      }),
      { numRuns: 2000 }
    )
    // Offers of both kinds came.
    expect(Math.min(words.joined, words.refused)).toBeGreaterThan(100)
  })
})
