import { createSocket, Socket as UdpSocket } from "node:dgram"
import dns from "node:dns"
import { once } from "node:events"
import { connect, createServer, isIP } from "node:net"

import { until } from "@atrium/domain/testing/Until"
import { everybody } from "@atrium/wire/voice/VoiceGroups"
import { afterEach, describe, expect, test, vi } from "vitest"

import { MediaClient, MediaStage } from "../media/testing/MediaClient.ts"
import { describeVoiceMedia } from "../media/VoiceMedia.contract.ts"
import type { MediaListener } from "../media/VoiceMedia.ts"
import { WeriftMedia } from "./WeriftMedia.ts"

// Beside the range of a service of this machine.
const first = 40_900

const makeMedia = (count: number) => (listener: MediaListener) =>
  new WeriftMedia(
    { host: "127.0.0.1", addresses: ["127.0.0.1"], ports: { min: first, max: first + count - 1 } },
    listener,
    () => performance.now()
  )

describeVoiceMedia("werift", makeMedia(20))

afterEach(() => {
  vi.restoreAllMocks()
})

const silent: MediaListener = { offered: () => {}, slotsChanged: () => {}, lost: () => {} }

const offerOf = async (): Promise<string> => {
  const client = new MediaClient()
  const offer = await client.offer()
  await client.close()
  return offer
}

const portsIn = (answer: string): ReadonlyArray<readonly [protocol: string, port: number]> => [
  ...new Map(
    [...answer.matchAll(/^a=candidate:\S+ 1 (\w+) \d+ 127\.0\.0\.1 (\d+) typ host/gm)].map(
      ([, protocol = "", port]) => [protocol, [protocol, Number(port)] as const] as const
    )
  ).values()
]

/** Whether nobody has the port, of UDP and of TCP. */
const isFree = async (port: number): Promise<boolean> => {
  const udp = createSocket("udp4")
  const tcp = createServer()
  try {
    udp.bind(port, "127.0.0.1")
    tcp.listen(port, "127.0.0.1")
    await Promise.all([once(udp, "listening"), once(tcp, "listening")])
    return true
  } catch {
    return false
  } finally {
    await new Promise<void>((resolve) => udp.close(() => resolve()))
    await new Promise<void>((resolve) => tcp.close(() => resolve()))
  }
}

describe("the ports of calls", () => {
  test("[limits.voice.ports] each participant has one of the range, of UDP and of TCP, until it leaves", async () => {
    const media = makeMedia(2)(silent)
    const offer = await offerOf()
    const join = (id: number) => media.join(id, { call: 1, offer, groups: everybody })
    const [one, two] = [await join(1), await join(2)]
    expect([portsIn(one), portsIn(two)]).toEqual([
      [
        ["udp", first],
        ["tcp", first]
      ],
      [
        ["udp", first + 1],
        ["tcp", first + 1]
      ]
    ])
    expect(await isFree(first)).toBe(false)
    const full = { code: "E_VOICE_FULL", message: "voice: every port of the range is taken" }
    await expect(join(3)).rejects.toMatchObject(full)
    media.leave(1)
    await until("the port is free", () => isFree(first))
    expect(portsIn(await join(4))[0]).toEqual(["udp", first])
    await media.close()
    expect([await isFree(first), await isFree(first + 1)]).toEqual([true, true])
  })

  test("[limits.voice.ports] a port that another program has is passed over", async () => {
    const other = createServer().listen(first, "127.0.0.1")
    await once(other, "listening")
    const media = makeMedia(2)(silent)
    const answer = await media.join(1, { call: 1, offer: await offerOf(), groups: everybody })
    expect(portsIn(answer)[0]).toEqual(["udp", first + 1])
    await media.close()
    other.close()
    await once(other, "close")
  })

  test("[C-890] a participant that leaves before its answer has no port", async () => {
    const media = makeMedia(1)(silent)
    const joining = media.join(1, { call: 1, offer: await offerOf(), groups: everybody })
    media.leave(1)
    await expect(joining).rejects.toMatchObject({
      code: "E_VOICE_FULL",
      message: "voice: the participant left while its port was opened"
    })
    expect([await isFree(first), media.stats().participants]).toEqual([true, 0])
    await media.close()
  })

  test("[C-891] a TCP connection that says nothing, or too much, is closed", async () => {
    const media = makeMedia(1)(silent)
    await media.join(1, { call: 1, offer: await offerOf(), groups: everybody })
    const talker = connect(first, "127.0.0.1")
    await once(talker, "connect")
    talker.write(Buffer.from([0xff, 0xff, 1]))
    await once(talker, "close")
    const all = Array.from({ length: 5 }, () => connect(first, "127.0.0.1").on("error", () => {}))
    // The port accepts four TCP connections and closes the fifth.
    await Promise.race(all.map((socket) => once(socket, "close")))
    await media.close()
  })
})

describe("addresses that an offer names", () => {
  test("[C-891] get no packet, and their names are not resolved", async () => {
    const bait = createSocket("udp4")
    bait.bind(0, "127.0.0.1")
    await once(bait, "listening")
    const { port } = bait.address()
    let came = 0
    bait.on("message", () => came++)
    const lookups = [
      vi.spyOn(dns, "lookup"),
      vi.spyOn(dns.promises, "lookup"),
      vi.spyOn(dns, "resolve4"),
      vi.spyOn(dns.promises, "resolve4")
    ]
    const sent = vi.spyOn(UdpSocket.prototype, "send")
    const stage = new MediaStage(makeMedia(4))
    const candidates = ["127.0.0.1", "169.254.169.254", "x.local", "example.com"]
      .map((address, at) => `a=candidate:${at} 1 udp 2113937151 ${address} ${port} typ host\r\n`)
      .join("")
    const baited = async (id: number): Promise<void> => {
      const offer = (await offerOf()).replaceAll(/(a=mid:.*\r\n)/g, `$1${candidates}`)
      await stage.media.join(id, { call: 1, offer, groups: everybody })
    }
    await Promise.all([baited(101), baited(102)])
    // Others talk meanwhile, so that this side sends whatever it sends.
    const [ann, bob] = await Promise.all([stage.enter(), stage.enter()])
    await stage.talk([[ann.client, 1, 20]], 20)
    await until("sound", () => bob.client.heard.length > 0)
    expect(came).toBe(0)
    const clients = sent.mock.calls.flatMap((call) => call.filter((each) => each === port))
    expect(clients).toEqual([])
    const names = lookups.flatMap((spy) => spy.mock.calls.map(([name]) => name))
    expect(names.filter((name) => isIP(name) === 0)).toEqual([])
    await stage.end()
    bait.close()
  })
})
