import { createSocket } from "node:dgram"
import { once } from "node:events"

import { until } from "@atrium/domain/testing/Until"
import { everybody } from "@atrium/wire/voice/VoiceGroups"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { MediaClient, MediaStage } from "../media/testing/MediaClient.ts"
import { describeVoiceMedia } from "../media/VoiceMedia.contract.ts"
import type { MediaListener } from "../media/VoiceMedia.ts"
import { JanusConnection } from "./JanusConnection.ts"
import { JanusMedia } from "./JanusMedia.ts"
import { JanusRooms } from "./JanusRooms.ts"
import { janusHere, type JanusUnderTest, startJanus } from "./testing/JanusUnderTest.ts"

const silent: MediaListener = { offered: () => {}, slotsChanged: () => {}, lost: () => {} }

const offerOf = async (): Promise<string> => {
  const client = new MediaClient()
  const offer = await client.offer()
  await client.close()
  return offer
}

describe.skipIf(janusHere() === null)("calls by Debian's Janus", () => {
  let janus: JanusUnderTest

  beforeAll(async () => {
    janus = await startJanus(41_890)
  })
  afterAll(() => janus?.end())

  describeVoiceMedia("Janus", (listener) => new JanusMedia(janus, listener))

  test("[C-899] a participant that leaves before its answer is in no call", async () => {
    const media = new JanusMedia(janus, silent)
    const joining = media.join(1, { call: 1, offer: await offerOf(), groups: everybody })
    media.leave(1)
    await expect(joining).rejects.toMatchObject({
      code: "E_VOICE_FULL",
      message: "voice: the participant left while it joined"
    })
    expect(media.stats().participants).toBe(0)
    await media.close()
  })

  test("[C-899] a wrong secret is no way in", async () => {
    const lost: Array<string> = []
    const told = { ...silent, lost: (why: string) => void lost.push(why) }
    const media = new JanusMedia({ ...janus, secret: "another" }, told)
    await until("it is lost", () => lost.length > 0)
    expect(lost[0]).toContain("Unauthorized")
    expect(lost[0]).not.toContain("another")
    await media.close()
  })

  test("[C-891] addresses that an offer or an answer names get no packet", async () => {
    const bait = createSocket("udp4")
    bait.bind(0, "0.0.0.0")
    await once(bait, "listening")
    const { port } = bait.address()
    let came = 0
    bait.on("message", () => came++)
    const candidates = ["127.0.0.1", "x.local"]
      .map((address, at) => `a=candidate:${at} 1 udp 2113937151 ${address} ${port} typ host\r\n`)
      .join("")
    const baited = (sdp: string) => sdp.replaceAll(/(a=mid:.*\r\n)/g, `$1${candidates}`)
    const stage = new MediaStage((listener) => {
      const media = new JanusMedia(janus, listener)
      const { join, answer } = media
      media.join = (id, given) => join.call(media, id, { ...given, offer: baited(given.offer) })
      media.answer = (id, given) => answer.call(media, id, baited(given))
      return media
    })
    const [ann, bob] = await Promise.all([stage.enter(), stage.enter()])
    await until("sound", async () => {
      await stage.talk([[ann.client, 1, 20]])
      return bob.client.heard.length > 0
    })
    expect(came).toBe(0)
    await stage.end()
    bait.close()
  })

  test("[C-899] a room of a process that died is removed by the next one, and that of a living one stays", async () => {
    const connect = () =>
      new JanusConnection(janus, { told: () => {}, hungUp: () => {}, lost: () => {} })
    const [deadOne, livingOne, nextOne] = [connect(), connect(), connect()]
    const dead = new JanusRooms(deadOne, janus.secret)
    const living = new JanusRooms(livingOne, janus.secret)
    const { room: left } = await dead.make({ dummy_publisher: true })
    const { room: kept } = await living.make({ dummy_publisher: true })
    const handle = await livingOne.attach()
    const ours = async (): Promise<ReadonlyArray<unknown>> => {
      const { data } = await livingOne.request(handle, { request: "list" })
      const list: ReadonlyArray<unknown> = Array.isArray(data["list"]) ? data["list"] : []
      return list
        .map((each) => Object(each))
        .filter(({ description }) => description === "atrium")
        .map(({ room }) => room)
    }
    dead.end()
    deadOne.close()
    expect(new Set(await ours())).toEqual(new Set([left.room, kept.room]))
    const next = new JanusRooms(nextOne, janus.secret)
    await until("the room that was left is removed", async () => (await ours()).length === 1)
    expect(await ours()).toEqual([kept.room])
    await living.remove(kept)
    expect(await ours()).toEqual([])
    for (const rooms of [living, next]) rooms.end()
    for (const each of [livingOne, nextOne]) each.close()
  })

  // The last one: Janus dies.
  test("[C-899] with Janus all calls are lost, and it is said why", async () => {
    const stage = new MediaStage((listener) => new JanusMedia(janus, listener))
    await stage.enter()
    janus.process.kill("SIGKILL")
    await until("the media are lost", () => stage.lost.length > 0)
    expect(stage.lost).toEqual(["the connection to Janus has ended"])
    await stage.end()
  })
})
