import { VoiceMediaLimits } from "@atrium/domain/voice/VoiceMediaLimits"
import { describe, expect, test } from "vitest"
import { Message, parseMessage } from "werift"

import { LiteIce, type Path } from "./LiteIce.ts"

const names = { ufrag: "ours", password: "a password of ours", remoteUfrag: "theirs" }
const key = Buffer.from(names.password)

const makeIce = () => {
  let nowMs = 1000
  const took: Array<string> = []
  const ice = new LiteIce(
    names,
    () => nowMs,
    (data) => void took.push(data.toString("latin1"))
  )
  const path = (name: string) => {
    const sent: Array<Buffer> = []
    const made: Path = {
      key: name,
      address: "192.0.2.7",
      port: 5000,
      send: (data) => void sent.push(data)
    }
    return { ...made, sent }
  }
  const pass = (ms: number): void => {
    nowMs += ms
  }
  return { ice, took, path, pass }
}

/** A check of the client. */
const check = ({ username = "ours:theirs", password = key, nominates = false } = {}): Buffer => {
  const request = new Message(1, 0).setAttribute("USERNAME", username)
  request.setAttribute("PRIORITY", 1).setAttribute("ICE-CONTROLLING", 7n)
  if (nominates) request.setAttribute("USE-CANDIDATE", null)
  return new Message(1, 0, undefined, request.getAttributes())
    .addMessageIntegrity(password)
    .addFingerprint().bytes
}

const media = Buffer.from([0x80, 1, 2, 3])
const text = media.toString("latin1")

describe("the ICE of a participant", () => {
  test("[C-891] answers a check that proves the password, with the address that it came from", () => {
    const { ice, path } = makeIce()
    const way = path("one")
    const request = check()
    expect(ice.received(request, way)).toBe(true)
    const answer = parseMessage(way.sent[0] ?? Buffer.alloc(0), key)
    expect(answer?.transactionId).toEqual(request.subarray(8, 20))
    expect([answer?.messageMethod, answer?.messageClass]).toEqual([1, 0x100])
    expect(answer?.getAttributeValue("XOR-MAPPED-ADDRESS")).toEqual(["192.0.2.7", 5000])
  })

  test.each<[string, Buffer]>([
    ["another password", check({ password: Buffer.from("another") })],
    ["another name", check({ username: "others:theirs" })],
    ["a name that has ours in it", check({ username: "ours:theirs2" })],
    ["a broken fingerprint", Buffer.concat([check().subarray(0, -1), Buffer.from([0])])],
    [
      "no proof at all",
      new Message(1, 0).setAttribute("USERNAME", "ours:theirs").addFingerprint().bytes as Buffer
    ],
    ["half of a check", check().subarray(0, 30)],
    ["an answer", new Message(1, 0x100).addMessageIntegrity(key).bytes],
    ["nothing", Buffer.alloc(0)],
    ["zeros", Buffer.alloc(1000)]
  ])("[C-891] LiteIce ignores %s: it sends no answer and proves no path", (_, bytes) => {
    const { ice, took, path } = makeIce()
    const way = path("one")
    expect([ice.received(bytes, way), ice.received(media, way)]).toEqual([false, false])
    expect([way.sent, took, ice.send(media)]).toEqual([[], [], false])
  })

  test("[C-891] media are taken over proven paths alone, and go to the one that the client has chosen", () => {
    const { ice, took, path } = makeIce()
    const [one, two, three] = [path("one"), path("two"), path("three")]
    ice.received(check(), one)
    ice.received(check({ nominates: true }), two)
    ice.received(check(), three)
    for (const way of [one, two, path("four")]) ice.received(media, way)
    expect(took).toEqual([text, text])
    expect(ice.send(media)).toBe(true)
    expect([one.sent.length, two.sent.length]).toEqual([1, 2])
    // The client may choose another one later.
    ice.received(check({ nominates: true }), one)
    ice.send(media)
    expect([one.sent.length, two.sent.length]).toEqual([3, 2])
  })

  test("[C-891] nothing is sent over a path that was checked over 30 s ago", () => {
    const { ice, path, pass } = makeIce()
    const way = path("one")
    ice.received(check({ nominates: true }), way)
    pass(30_000)
    expect(ice.send(media)).toBe(true)
    pass(1)
    expect(ice.send(media)).toBe(false)
    ice.received(check(), way)
    expect(ice.send(media)).toBe(true)
  })

  test("[C-891] a connection that has ended is no path any more, and another one takes its place", () => {
    const { ice, took, path } = makeIce()
    const [one, two] = [path("one"), path("two")]
    ice.received(check(), one)
    ice.received(check({ nominates: true }), two)
    ice.gone("two")
    ice.received(media, two)
    expect([took, ice.send(media), one.sent.length]).toEqual([[], true, 2])
  })

  test("[C-891] of more than eight paths the one that was checked longest ago is forgotten, but for the chosen one", () => {
    const { ice, took, path } = makeIce()
    const chosen = path("chosen")
    ice.received(check({ nominates: true }), chosen)
    const others = Array.from({ length: VoiceMediaLimits.voicePaths.max }, (_, at) => path(`${at}`))
    for (const way of others) ice.received(check(), way)
    for (const way of [chosen, ...others]) ice.received(media, way)
    expect(took).toHaveLength(8)
    expect(others[0] !== undefined && ice.received(media, others[0])).toBe(false)
  })

  test("[C-891] a packet of 2,048 bytes is taken, and one of a byte more is not", () => {
    const { ice, took, path } = makeIce()
    const way = path("one")
    ice.received(check(), way)
    const { max } = VoiceMediaLimits.voiceDatagramBytes
    for (const bytes of [max, max + 1]) ice.received(Buffer.alloc(bytes, 0x80), way)
    expect(took.map(({ length }) => length)).toEqual([2048])
  })
})
