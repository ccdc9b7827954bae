import { expect, test } from "vitest"

import { type Feed, JanusListener } from "./JanusListener.ts"

const feedOf = (feed: number): Feed => ({ feed, mid: "0" })

test("[C-893] the last wish reaches Janus, also one that comes as a request ends", async () => {
  for (let turns = 0; turns < 10; turns++) {
    let playing = 0
    const listener = new JanusListener(1, feedOf(0), async ([stream]) => {
      playing = stream?.feed ?? Number.NaN
    })
    const begun = listener.begin(["0"])
    const first = listener.play([feedOf(1)])
    for (let turn = 0; turn < turns; turn++) await Promise.resolve()
    await Promise.all([begun, first, listener.play([feedOf(2)])])
    expect([turns, playing]).toEqual([turns, 2])
  }
})
