import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { PassThrough } from "node:stream"

import { HttpLimits } from "@atrium/domain/http/HttpLimits"
import { allowances } from "@atrium/domain/meters/Caps"
import { defaultSustainedBytes } from "@atrium/domain/meters/SustainedRate"
import { noAddressRules, readNetworks } from "@atrium/domain/shared/ClientAddress"
import { expect, it } from "@effect/vitest"
import { Effect, Option } from "effect"

import { listen } from "./Listener.ts"
import { PeerConnections, type PeerStream } from "./PeerConnections.ts"

const { max } = HttpLimits.httpConnections

const from = (remoteAddress: string | undefined): PeerStream =>
  Object.assign(new PassThrough(), { remoteAddress })

it("[C-132] a peer has 2,000 connections, an IPv6 network as many, and what ends makes room", () => {
  const peers = new PeerConnections(noAddressRules)
  const streams = Array.from({ length: max }, () => from("198.51.100.1"))
  expect(streams.every((stream) => peers.came(stream))).toBe(true)
  expect(peers.came(from("198.51.100.1"))).toBe(false)
  expect(peers.came(from("::ffff:198.51.100.1"))).toBe(false)
  expect(peers.came(from("198.51.100.2"))).toBe(true)
  for (let n = 0; n < max; n++) peers.came(from(`2001:db8:1:2::${n.toString(16)}`))
  expect(peers.came(from("2001:db8:1:2:ffff::1"))).toBe(false)
  // A WebSocket is counted elsewhere, and counts no second time when it ends.
  const [first, second] = streams
  if (first === undefined || second === undefined) throw new Error("no streams")
  peers.left(first)
  peers.left(first)
  first.emit("close")
  expect(peers.came(from("198.51.100.1"))).toBe(true)
  expect(peers.came(from("198.51.100.1"))).toBe(false)
  second.emit("close")
  expect(peers.came(from("198.51.100.1"))).toBe(true)
})

it("[C-132] trusted proxies and exempt addresses have no bound", () => {
  const networks = (text: string) => {
    const read = readNetworks(text)
    return "networks" in read ? read.networks : []
  }
  const rules = { trustedProxies: networks("10.0.0.0/8"), exempt: networks("127.0.0.1") }
  const peers = new PeerConnections(rules)
  for (const peer of ["10.0.0.1", "127.0.0.1"]) {
    for (let n = 0; n <= max; n++) expect(peers.came(from(peer))).toBe(true)
  }
})

const config = {
  host: "127.0.0.1",
  port: 0,
  dataDir: "",
  addresses: noAddressRules,
  databaseUrl: Option.none(),
  bootstrapToken: Option.none(),
  masterKey: Option.none(),
  privateAddress: Option.none(),
  databaseConnections: 20,
  runnerAddress: Option.none(),
  link: Option.none(),
  objects: Option.none(),
  connectionsPerIpPerMin: Option.none(),
  jwksHosts: [],
  launched: false,
  sendWindows: true,
  playground: false,
  sites: { host: "localhost", ports: null },
  plans: { allowances, newPlan: "card" as const, sustainedBytes: defaultSustainedBytes },
  smtp: Option.none(),
  voice: Option.none()
}

it("[C-132] cuts off silent connections, which keep nobody out", async () => {
  const peers = new PeerConnections(noAddressRules, 5)
  const flooded = Effect.flatMap(listen(config, peers), ({ port }) =>
    Effect.promise(() => flooding(port, 5))
  )
  const seen = await Effect.runPromise(Effect.scoped(flooded))
  expect(seen).toEqual([5, expect.stringMatching(/^HTTP\/1\.1 503 /)])
})

/** How many of so many silent connections and two more are kept, and what another peer hears then. */
const flooding = async (port: number, count: number) => {
  const open = (localAddress: string): Socket =>
    connect({ host: "127.0.0.1", port, localAddress })
      .on("error", () => undefined)
      .resume()
  const silent = Array.from({ length: count }, () => open("127.0.0.1"))
  await Promise.all(silent.map((socket) => once(socket, "connect")))
  const over = [open("127.0.0.1"), open("127.0.0.1")]
  await Promise.all(over.map((socket) => once(socket, "close")))
  const kept = silent.filter((socket) => !socket.destroyed).length
  const other = open("127.0.0.2")
  other.write("GET /health HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")
  const [answer]: Array<unknown> = await once(other, "data")
  for (const socket of silent) socket.destroy()
  return [kept, String(answer)]
}
