import { expect, test } from "vitest"

import { isReached, ratioOf } from "../Figure.ts"
import type { Peer } from "./Peer.ts"
import { besidePeers, noPeerRounds } from "./PeerFigures.ts"

const peer = (name: string): Peer => ({
  name,
  pid: 1,
  port: 1,
  dialect: { frame: Object.create(null), stampAt: 0, secondByte: null },
  isPatch: () => true,
  join: () => Promise.reject(new Error("nobody joins"))
})

test("[C-940] a figure stands beside the same rounds of each peer, and judges no goal", () => {
  const peers = noPeerRounds<number>([peer("Slow 1.0.0"), peer("Fast 2.0.0")])
  for (const each of peers)
    each.rounds.push(...(each.peer.name.startsWith("Slow") ? [4, 8] : [1, 2]))
  const figures = besidePeers({ name: "cost", unit: "ms", rounds: [2, 4] }, peers, {
    pick: (round) => round,
    weakness: (rounds) => (rounds[0] === 4 ? "it fell behind the load" : null)
  })
  expect(
    figures.map((figure) => [figure.reference?.name, ratioOf(figure), figure.reference?.weakness])
  ).toEqual([
    ["Slow 1.0.0", 0.5, "it fell behind the load"],
    ["Fast 2.0.0", 2, null]
  ])
  expect(figures.map(isReached)).toEqual([null, null])
})

test("[C-940] a run without peers has no such figures", () => {
  const figures = besidePeers({ name: "cost", unit: "ms", rounds: [2] }, noPeerRounds<number>([]), {
    pick: (round) => round
  })
  expect(figures).toEqual([])
})
