import { until } from "@atrium/domain/testing/Until"
import { everybody } from "@atrium/wire/voice/VoiceGroups"
import { afterEach, describe, expect, test } from "vitest"

import { MediaClient, MediaStage } from "./testing/MediaClient.ts"
import type { MediaListener, VoiceMedia } from "./VoiceMedia.ts"

type Heard = MediaClient["heardIn"]

const payloads = (heard: Heard): ReadonlySet<number> => new Set(heard.map(([, payload]) => payload))

/** The tests that every implementation of VoiceMedia passes. */
export const describeVoiceMedia = (
  name: string,
  make: (listener: MediaListener) => VoiceMedia
): void => {
  const stages: Array<MediaStage> = []
  const open = (): MediaStage => {
    const stage = new MediaStage(make)
    stages.push(stage)
    return stage
  }

  afterEach(async () => {
    for (const stage of stages.splice(0)) await stage.end()
  })

  describe(`media by ${name}`, () => {
    test("[C-890] participants of a call hear each other, and nobody hears itself or another call", async () => {
      const stage = open()
      const [ann, bob, eve] = await Promise.all([stage.enter(), stage.enter(), stage.enter(2)])
      await until("both are heard", async () => {
        await stage.talk([
          [ann.client, 1, 20],
          [bob.client, 2, 20],
          [eve.client, 3, 20]
        ])
        return ann.client.heard.length > 5 && bob.client.heard.length > 5
      })
      expect(payloads(ann.client.heardIn)).toEqual(new Set([2]))
      expect(payloads(bob.client.heardIn)).toEqual(new Set([1]))
      expect(eve.client.heard).toEqual([])
      const slotOf = ({ slots }: MediaClient, id: number) => slots.indexOf(id)
      expect(new Set(ann.client.heardIn.map(([slot]) => slot))).toEqual(
        new Set([slotOf(ann.client, bob.id)])
      )
      expect([ann.client.slots.includes(ann.id), eve.client.slots.some(Boolean)]).toEqual([
        false,
        false
      ])
      expect(stage.media.stats()).toMatchObject({ participants: 3 })
    })

    test("[C-893] silence is not forwarded", async () => {
      const stage = open()
      const [ann, bob] = await Promise.all([stage.enter(), stage.enter()])
      await until("speech is heard", async () => {
        await stage.talk([[ann.client, 1, 20]])
        return bob.client.heard.length > 0
      })
      // The gap between two words is still forwarded.
      await stage.talk([[ann.client, 2, 127]], 40)
      bob.client.heard.length = 0
      await stage.talk([[ann.client, 3, 127]], 10)
      expect(bob.client.heard).toEqual([])
      await until("speech is heard again", async () => {
        await stage.talk([[ann.client, 4, 20]])
        return payloads(bob.client.heardIn).has(4)
      })
      expect(payloads(bob.client.heardIn).has(3)).toBe(false)
    })

    test("[C-893] of four speakers the three loudest are heard, each in a slot of its own", async () => {
      const stage = open()
      const [ear, ...mouths] = await Promise.all(Array.from({ length: 5 }, () => stage.enter()))
      if (ear === undefined) throw new Error("nobody listens")
      const says = mouths.map(({ client, id }, at) => [client, id, 5 + 15 * at] as const)
      const loudest = new Set(mouths.slice(0, 3).map(({ id }) => id))
      await until("the three loudest have the slots", async () => {
        await stage.talk(says)
        return mouths.slice(0, 3).every(({ id }) => ear.client.slots.includes(id))
      })
      ear.client.heard.length = 0
      const before = ear.client.slots
      await stage.talk(says, 20)
      await until("sound", () => payloads(ear.client.heardIn).size >= 3)
      expect(ear.client.slots).toEqual(before)
      expect(payloads(ear.client.heardIn)).toEqual(loudest)
      for (const [slot, payload] of ear.client.heardIn) expect(before[slot]).toBe(payload)
    })

    test("[C-892] a participant hears those who speak to a group that it hears", async () => {
      const stage = open()
      const red = { speaks: ["red"], hears: ["red"] }
      const [ann, bob, spy] = await Promise.all([
        stage.enter(1, red),
        stage.enter(1, { speaks: ["blue"], hears: ["blue"] }),
        stage.enter(1, { speaks: [], hears: ["red", "blue"] })
      ])
      const says = [
        [ann.client, 1, 20],
        [bob.client, 2, 20],
        [spy.client, 3, 20]
      ] as const
      await until("the spy hears both", async () => {
        await stage.talk(says)
        return payloads(spy.client.heardIn).size === 2
      })
      expect([ann.client.heard, bob.client.heard]).toEqual([[], []])
      stage.media.setGroups(bob.id, red)
      await until("they hear each other", async () => {
        await stage.talk(says)
        return ann.client.heard.length > 0 && bob.client.heard.length > 0
      })
      stage.media.setGroups(bob.id, everybody)
      await until("the slot is taken away", async () => {
        await stage.talk(says, 2)
        return !ann.client.slots.includes(bob.id)
      })
      ann.client.heard.length = 0
      await stage.talk(says)
      expect(ann.client.heard).toEqual([])
    })

    test("[C-890] a participant that has left is heard no more, and its slot is free", async () => {
      const stage = open()
      const [ann, bob] = await Promise.all([stage.enter(), stage.enter()])
      await until("sound", async () => {
        await stage.talk([[bob.client, 2, 20]])
        return ann.client.heard.length > 0
      })
      stage.media.leave(bob.id)
      stage.media.leave(bob.id)
      await until("the slot is free", () => !ann.client.slots.includes(bob.id))
      ann.client.heard.length = 0
      await stage.talk([[bob.client, 2, 20]])
      expect(ann.client.heard).toEqual([])
      expect(stage.media.stats()).toMatchObject({ participants: 1 })
    })

    test("[limits.voiceOfferLines] an offer of eight lines is answered, and one of nine refused", async () => {
      const stage = open()
      const client = new MediaClient()
      const offer = await client.offer()
      await client.close()
      const [, ...lines] = offer.split(/(?=^m=)/m)
      const more = (count: number): string =>
        Array.from({ length: count }, (_, at) =>
          lines.at(-1)?.replace(/^a=mid:.*/m, `a=mid:more${at}`)
        ).join("")
      const join = (id: number, lineCount: number): Promise<string> => {
        const given = offer + more(lineCount - lines.length)
        return stage.media.join(id, { call: 1, offer: given, groups: everybody })
      }
      expect((await join(1, 8)).match(/^m=audio/gm)).toHaveLength(8)
      await expect(join(2, 9)).rejects.toMatchObject({
        code: "E_BAD_MESSAGE",
        message: "voice: the offer has over 8 lines"
      })
    })

    test.each<[string, (offer: string) => string, string]>([
      ["no SDP", () => "hello", "voice: the offer has no audio line"],
      ["nothing", () => "", "voice: the offer has no audio line"],
      [
        "a line of video",
        (offer) => offer.replace("m=audio", "m=video"),
        "voice: the offer has a line that is no audio"
      ],
      [
        "no fingerprint",
        (offer) => offer.replaceAll(/a=fingerprint:.*\r\n/g, ""),
        "voice: the offer has no fingerprint"
      ],
      [
        "a fingerprint without a value",
        (offer) => offer.replaceAll(/a=fingerprint:.*/g, "a=fingerprint:sha-256"),
        "voice: a fingerprint of the offer has no value"
      ],
      [
        "a fingerprint without an algorithm, for the whole session",
        (offer) => offer.replace("t=0 0", "t=0 0\r\na=fingerprint"),
        "voice: a fingerprint of the offer has no value"
      ],
      [
        "no ufrag",
        (offer) => offer.replaceAll(/a=ice-ufrag:.*\r\n/g, ""),
        "voice: the offer is no SDP"
      ],
      [
        "a mid that writes lines",
        (offer) => offer.replaceAll(/a=mid:.*/g, "a=mid:0 a=x"),
        "voice: a line of the offer has no mid"
      ],
      [
        "two lines of one mid",
        (offer) => offer.replaceAll(/a=mid:.*/g, "a=mid:0"),
        "voice: two lines of the offer have one mid"
      ]
    ])("[C-891] an offer with %s is refused by name", async (_, change, message) => {
      const stage = open()
      const client = new MediaClient()
      const offer = change(await client.offer())
      await client.close()
      await expect(
        stage.media.join(9, { call: 1, offer, groups: everybody })
      ).rejects.toMatchObject({ name: "MediaRefusal", code: "E_BAD_MESSAGE", message })
      expect(stage.media.stats()).toMatchObject({ participants: 0 })
    })
  })
}
