import { LogLimits } from "@atrium/domain/logs/LogLimits"
import { describe, expect, test } from "vitest"

import { PollEveryMs } from "../ProcessPace.ts"
import type { Mapper, MapperOwner } from "./MapperProcess.ts"
import { StackMapper } from "./StackMapper.ts"
import type { BundlePlace } from "./StackText.ts"

const comment = "//# sourceMappingURL=data:application/json;base64,"
const bundleOf = (name: string): Uint8Array =>
  new TextEncoder().encode(`${name}()\n${comment}${Buffer.from(name).toString("base64")}\n`)
const stackAt = (line: number): string => `Error\n    at run (room.bundle.js:${line}:1)`
const mappedAt = (line: number): string => `Error\n    at run (room.ts:${line}:9)`
const pollsOf = (ms: number): number => ms / PollEveryMs

/** A mapper whose processes the test plays. */
class Stage {
  readonly asked: Array<readonly [map: string | null, lines: ReadonlyArray<number>]> = []
  starts = 0
  kills = 0
  anonBytes = 0
  owner: MapperOwner | null = null
  readonly stacks = new StackMapper({
    start: (owner) => this.#start(owner),
    memoryOf: () => ({ anonBytes: this.anonBytes, dataBytes: 0, sizeBytes: 0 })
  })

  #start(owner: MapperOwner): Mapper {
    this.starts++
    this.owner = owner
    return {
      pid: 1,
      ask: (map, places: ReadonlyArray<BundlePlace>) => {
        const name = map === null ? null : Buffer.from(Buffer.from(map).toString(), "base64")
        this.asked.push([name === null ? null : name.toString(), places.map(({ line }) => line)])
      },
      kill: () => {
        this.kills++
      }
    }
  }

  answer(): void {
    const lines = this.asked.at(-1)?.[1] ?? []
    this.owner?.answered(lines.map((line) => `room.ts:${line}:9`))
  }

  poll(times: number): void {
    for (let poll = 0; poll < times; poll++) this.stacks.poll()
  }
}

const started = (): Stage => {
  const stage = new Stage()
  void stage.stacks.map(bundleOf("first"), stackAt(1))
  stage.owner?.started()
  stage.answer()
  return stage
}

describe("stacks of room code", () => {
  test("[C-171] one stack is mapped at a time, a map is sent once, and a known stack is not sent", async () => {
    const stage = new Stage()
    const arena = bundleOf("arena")
    const first = stage.stacks.map(arena, stackAt(1))
    const second = stage.stacks.map(arena, stackAt(2))
    expect([stage.starts, stage.asked]).toEqual([1, []])
    stage.owner?.started()
    expect(stage.asked).toEqual([["arena", [1]]])
    stage.answer()
    expect(await first).toBe(mappedAt(1))
    expect(stage.asked).toEqual([
      ["arena", [1]],
      [null, [2]]
    ])
    stage.answer()
    expect(await second).toBe(mappedAt(2))
    expect(stage.stacks.map(arena, stackAt(1))).toBe(mappedAt(1))
    expect(stage.stacks.map(arena, "no stack")).toBe("no stack")
    expect([stage.starts, stage.asked.length]).toEqual([1, 2])
  })

  test("[C-171] a map that takes over 2 s ends the process, and is not tried again for a minute", async () => {
    const stage = started()
    const bomb = bundleOf("bomb")
    const waiting = [stage.stacks.map(bomb, stackAt(1)), stage.stacks.map(bomb, stackAt(2))]
    stage.poll(pollsOf(LogLimits.stackMap.ms) - 1)
    expect(stage.kills).toBe(0)
    stage.poll(1)
    expect(stage.kills).toBe(1)
    stage.owner?.ended()
    expect(await Promise.all(waiting)).toEqual([stackAt(1), stackAt(2)])
    stage.poll(pollsOf(LogLimits.stackMapPause.ms) - 1)
    expect([stage.stacks.map(bomb, stackAt(1)), stage.starts]).toEqual([stackAt(1), 1])
    stage.poll(1)
    void stage.stacks.map(bomb, stackAt(1))
    expect(stage.starts).toBe(2)
  })

  test("[C-171] a process of 256 MiB goes on, one of a byte more is ended", () => {
    const stage = started()
    void stage.stacks.map(bundleOf("bomb"), stackAt(1))
    stage.anonBytes = LogLimits.stackMapMemory.max
    stage.poll(1)
    expect(stage.kills).toBe(0)
    stage.anonBytes++
    stage.poll(1)
    expect(stage.kills).toBe(1)
  })

  test("[C-171] the bundles of others do not wait for one whose map ends the process", async () => {
    const stage = started()
    const bomb = stage.stacks.map(bundleOf("bomb"), stackAt(1))
    const other = stage.stacks.map(bundleOf("other"), stackAt(1))
    stage.owner?.ended()
    expect([await bomb, stage.starts]).toEqual([stackAt(1), 2])
    stage.owner?.started()
    expect(stage.asked.at(-1)).toEqual(["other", [1]])
    stage.answer()
    expect(await other).toBe(mappedAt(1))
  })

  test("[C-171] 64 stacks wait; one more stays unmapped, and so does a stack that waited 10 s", async () => {
    const stage = new Stage()
    const bundle = bundleOf("arena")
    const wait = (line: number) => stage.stacks.map(bundle, stackAt(line))
    const waiting = Array.from({ length: LogLimits.stacksWaiting.max }, (_, index) => wait(index))
    expect(wait(1000)).toBe(stackAt(1000))
    stage.poll(pollsOf(LogLimits.stackWait.ms) - 1)
    expect(wait(1000)).toBe(stackAt(1000))
    stage.poll(1)
    expect(await Promise.all(waiting)).toEqual(waiting.map((_, index) => stackAt(index)))
  })

  test("[C-171] a process that does not start is given 5 s, and is not tried again for a minute", async () => {
    const stage = new Stage()
    const stack = stage.stacks.map(bundleOf("arena"), stackAt(1))
    stage.poll(pollsOf(LogLimits.stackMapperStart.ms))
    expect(stage.kills).toBe(1)
    stage.owner?.ended()
    expect(await stack).toBe(stackAt(1))
    expect(stage.stacks.map(bundleOf("other"), stackAt(1))).toBe(stackAt(1))
    expect(stage.starts).toBe(1)
  })

  test("[C-176] a start that fails leaves the stacks that wait as they are, and is not tried again for a minute", async () => {
    const stage = new Stage()
    const waiting = [1, 2].map((line) => stage.stacks.map(bundleOf(`b${line}`), stackAt(line)))
    stage.owner?.ended()
    expect(await Promise.all(waiting)).toEqual([stackAt(1), stackAt(2)])
    stage.poll(pollsOf(LogLimits.stackMapPause.ms) - 1)
    expect([stage.stacks.map(bundleOf("b3"), stackAt(1)), stage.starts]).toEqual([stackAt(1), 1])
    stage.poll(1)
    void stage.stacks.map(bundleOf("b4"), stackAt(1))
    expect(stage.starts).toBe(2)
  })

  test("[C-171] a process without work is ended after 10 s, and a stack that comes then has another", () => {
    const stage = started()
    stage.poll(pollsOf(LogLimits.stackMapperIdle.ms) - 1)
    expect(stage.kills).toBe(0)
    stage.poll(1)
    expect(stage.kills).toBe(1)
    void stage.stacks.map(bundleOf("late"), stackAt(1))
    stage.owner?.ended()
    expect(stage.starts).toBe(2)
  })

  test("[C-171] an answer that does not fit ends the process", async () => {
    const stage = started()
    const stack = stage.stacks.map(bundleOf("bomb"), stackAt(1))
    stage.owner?.answered([])
    expect(stage.kills).toBe(1)
    stage.owner?.ended()
    expect(await stack).toBe(stackAt(1))
  })

  test("[C-171] 1,000 places are remembered; with one more all are asked again", () => {
    const stage = started()
    const bundle = bundleOf("arena")
    const map = (line: number) => {
      const stack = stage.stacks.map(bundle, stackAt(line))
      if (typeof stack !== "string") stage.answer()
      return typeof stack
    }
    for (let line = 1; line <= LogLimits.stackOriginsKept.max; line++) map(line)
    expect(map(1)).toBe("string")
    expect(map(LogLimits.stackOriginsKept.max + 1)).toBe("object")
    expect(map(1)).toBe("object")
  })

  test("[C-171] the end of the service leaves waiting stacks unmapped", async () => {
    const stage = started()
    const bundle = bundleOf("arena")
    const waiting = [stage.stacks.map(bundle, stackAt(1)), stage.stacks.map(bundle, stackAt(2))]
    const closed = stage.stacks.close()
    stage.owner?.ended()
    await closed
    expect(await Promise.all(waiting)).toEqual([stackAt(1), stackAt(2)])
    expect(stage.stacks.map(bundle, stackAt(3))).toBe(stackAt(3))
  })
})
