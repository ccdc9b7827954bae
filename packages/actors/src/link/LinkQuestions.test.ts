import { PassThrough } from "node:stream"

import { LinkLimits } from "@atrium/domain/link/LinkLimits"
import { until } from "@atrium/domain/testing/Until"
import { afterEach, describe, expect, test } from "vitest"

import { type ProtocolVersions, questionsSince, runnerProtocol } from "../cluster/RunnerProtocol.ts"
import { FlushTogether } from "../process/FlushTogether.ts"
import { LinkKind, LinkWriter } from "./LinkFrames.ts"
import { linkAnswer } from "./LinkMessages.ts"
import { olderRunner } from "./LinkQuestions.ts"
import { LinkSocket } from "./LinkSocket.ts"
import { listening, makePool } from "./testing/LinkedGates.ts"

const ends: Array<() => Promise<void>> = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

/**
 * A runner that asks, and one that counts: each part of its answer is the next number.
 *
 * @param versions of the one that counts
 */
const asking = async (versions: ProtocolVersions = runnerProtocol) => {
  const said: Array<string> = []
  const fails: Array<(why: string) => void> = []
  const owner = makePool({
    versions,
    open: ({ name, input }, { part, failed }) => {
      let count = 0
      const more = (): void => part(linkAnswer.pack(++count))
      said.push(`${name} ${JSON.stringify(input)}`)
      fails.push(failed)
      more()
      return { more, end: () => void said.push("end") }
    }
  })
  const entry = makePool()
  const listener = await listening(owner.pool)
  ends.push(async () => {
    await entry.pool.end(new AbortController().signal)
    await listener.close()
  })
  const told: Array<unknown> = []
  const ask = (name = "count") =>
    entry.pool.ask(listener.address, {
      name,
      input: { from: 1 },
      told: (part) => void told.push(part),
      failed: (why) => void told.push(why)
    })
  return { entry, owner, listener, said, fails, told, ask }
}

describe("questions over a link", () => {
  test("[C-423] the answer comes in parts, and each further one when it is wanted", async () => {
    const { said, told, ask } = await asking()
    const asked = ask()
    await until("the first part", () => told.length === 1)
    expect(said).toEqual(['count {"from":1}'])
    asked.more()
    await until("the second part", () => told.length === 2)
    asked.end()
    asked.more()
    await until("the end", () => said.at(-1) === "end")
    expect(told).toEqual([1, 2])
  })

  test("[C-425] a runner of the version before is not asked what it does not know", async () => {
    const { said, told, ask, owner } = await asking({ oldest: 2, newest: 2 })
    for (const name of questionsSince.keys()) ask(name)
    await until("the failures", () => told.length === questionsSince.size)
    expect(new Set(told)).toEqual(new Set([olderRunner]))
    // The link is proven by now.
    ask("inspect.state")
    ask()
    await until("the next question", () => said.length === 1)
    expect(said).toEqual(['count {"from":1}'])
    expect(told).toContain(olderRunner)
    expect(owner.lost).toEqual([])
  })

  test("[C-425] a runner of this version is asked", async () => {
    const { said, told, ask } = await asking()
    ask("inspect.state")
    await until("the answer", () => told.length === 1)
    expect([said, told]).toEqual([['inspect.state {"from":1}'], [1]])
  })

  test("[C-423] an answer that fails is told, and its link goes on", async () => {
    const { told, fails, said, ask } = await asking()
    const asked = ask()
    await until("the first part", () => told.length === 1)
    fails[0]?.("out of order")
    await until("the failure", () => told.length === 2)
    asked.more()
    asked.end()
    ask()
    await until("the next question", () => told.length === 3)
    expect(told).toEqual([1, "out of order", 1])
    expect(said).not.toContain("end")
  })

  test("[C-423] a link that is lost ends its questions on both sides", async () => {
    const { told, said, listener, ask } = await asking()
    ask()
    await until("the first part", () => told.length === 1)
    for (const stream of listener.streams) stream.destroy()
    await until("both have heard", () => told.length === 2 && said.at(-1) === "end")
    expect(told[1]).toEqual(expect.any(String))
  })

  test("[C-423] a link has so many open questions, and not one more", async () => {
    const { told, ask } = await asking()
    const { max } = LinkLimits.linkQuestions
    const [first] = Array.from({ length: max }, ask)
    ask()
    await until("all are answered", () => told.length === max + 1)
    expect(told.filter((each) => each === 1)).toHaveLength(max)
    expect(told.at(-1)).toBe("too many questions")
    first?.end()
    ask()
    await until("there is a place", () => told.length === max + 2)
    expect(told.at(-1)).toBe(1)
  })
})

test.each([
  [2, ["frame 13 is not of version 2"]],
  [3, []]
])("[C-425] a frame of version 3 on a link of version %i: %j", (version, faults) => {
  const ended: Array<string> = []
  const stream = new PassThrough()
  const socket = new LinkSocket(stream, new FlushTogether(() => 0), {
    handshake: () => version,
    frame: () => undefined,
    ended: (why) => void ended.push(why)
  })
  const writer = new LinkWriter()
  writer.frame(LinkKind.proof, 0)
  writer.frame(LinkKind.voice, 1)
  stream.emit("data", writer.take())
  expect(ended).toEqual(faults)
  socket.lose("over")
})
