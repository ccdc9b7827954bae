import { MiB } from "@atrium/wire/limits/Limit"
import { RoomClasses } from "@atrium/wire/rooms/RoomClass"
import { describe, expect, test } from "vitest"

import { MemoryWatch } from "./MemoryWatch.ts"
import { type ProcessMemory, WasmReservationBytes } from "./ProcessMemory.ts"
import { PollEveryMs } from "./ProcessPace.ts"

const base: ProcessMemory = { anonBytes: 10 * MiB, dataBytes: 570 * MiB, sizeBytes: 1000 * MiB }
const pace = {
  answerPolls: 5,
  busyAnswerPolls: 20,
  restPolls: 10,
  startRestPolls: 30,
  blindPolls: 50
}

/** A process that uses so much more than at first. Memory that is there was also asked for. */
const using = (anonBytes: number, more: Partial<ProcessMemory> = {}): ProcessMemory => ({
  anonBytes: base.anonBytes + anonBytes,
  dataBytes: base.dataBytes + (more.dataBytes ?? anonBytes),
  sizeBytes: base.sizeBytes + (more.sizeBytes ?? anonBytes)
})

const untold = () => null

const watch = (memoryMiB = 64, cpuWaitMs: () => number | null = untold): MemoryWatch => {
  const made = new MemoryWatch({ memoryMiB }, pace, cpuWaitMs)
  made.baseline(base)
  return made
}
const wasm = (wasmBytes: number, codeBytes = 0) => ({ wasmBytes, codeBytes })
const poll = (it: MemoryWatch, anonBytes: number): string => it.poll(using(anonBytes), true)
const live = (liveBytes: number, anonBytes = liveBytes) => ({
  liveBytes,
  mapped: wasm(0),
  memory: using(anonBytes)
})

describe("a room's memory", () => {
  test("[memory.server.restarts-largest] the memory of a room is that of the last look, and never negative", () => {
    const watched = watch()
    expect(watched.usedBytes).toBe(0)
    poll(watched, 5 * MiB)
    expect(watched.usedBytes).toBe(5 * MiB)
    poll(watched, -MiB)
    expect(watched.usedBytes).toBe(0)
  })

  test("[memory.server.restarts-largest] where nothing can be measured, it is what the room says of itself", () => {
    const blind = new MemoryWatch({ memoryMiB: 64 }, { ...pace, blindPolls: 1 }, untold)
    expect(blind.poll(null, true)).toBe("weigh")
    blind.weighed({ liveBytes: 7 * MiB, mapped: null, memory: null })
    expect(blind.usedBytes).toBe(7 * MiB)
  })

  test.each(Object.entries(RoomClasses))(
    "[memory.ceiling-counts-all] at the ceiling is fine, one byte more is weighed: %s",
    (_, { memoryMiB }) => {
      expect(poll(watch(memoryMiB), memoryMiB * MiB)).toBe("fine")
      expect(poll(watch(memoryMiB), memoryMiB * MiB + 1)).toBe("weigh")
    }
  )

  test.each(Object.entries(RoomClasses))(
    "[C-40] twice the ceiling and the slack needs no weighing: %s",
    (_, { memoryMiB }) => {
      const hardBytes = (2 * memoryMiB + 32) * MiB
      expect(poll(watch(memoryMiB), hardBytes)).toBe("weigh")
      expect(poll(watch(memoryMiB), hardBytes + 1)).toBe("over")
    }
  )

  test("[memory.ceiling-counts-all] garbage is let go, what lives is not", () => {
    const light = watch()
    expect(poll(light, 80 * MiB)).toBe("weigh")
    expect(light.weighed(live(64 * MiB))).toBe("fine")
    const heavy = watch()
    expect(poll(heavy, 80 * MiB)).toBe("weigh")
    expect(heavy.weighed(live(64 * MiB + 1))).toBe("over")
  })

  test("[memory.ceiling-counts-all] WebAssembly counts, which the room's own figure does not have", () => {
    const it = watch()
    poll(it, 80 * MiB)
    expect(it.weighed({ ...live(10 * MiB, 80 * MiB), mapped: wasm(54 * MiB) })).toBe("fine")
    const over = watch()
    poll(over, 80 * MiB)
    expect(over.weighed({ ...live(10 * MiB, 80 * MiB), mapped: wasm(54 * MiB + 1) })).toBe("over")
  })

  test("[memory.ceiling-counts-all] resident memory counts when WebAssembly cannot be looked at", () => {
    const memory = using(80 * MiB, { sizeBytes: WasmReservationBytes })
    const blind = { liveBytes: 10 * MiB, mapped: null }
    const it = watch()
    it.poll(memory, true)
    expect(it.weighed({ ...blind, memory })).toBe("over")
    const none = watch()
    none.poll(memory, true)
    expect(none.weighed({ ...blind, memory: using(80 * MiB) })).toBe("fine")
  })

  test("[memory.ceiling-counts-all] memory that was never touched is weighed too, once", () => {
    const untouched = using(1 * MiB, { dataBytes: 64 * MiB + 1 })
    const it = watch()
    expect(it.poll(using(1 * MiB, { dataBytes: 64 * MiB }), true)).toBe("fine")
    expect(it.poll(untouched, true)).toBe("weigh")
    // 10 MiB of it are alive: there is room for 54 more before it could be over.
    expect(it.weighed({ liveBytes: 10 * MiB, mapped: wasm(0), memory: untouched })).toBe("fine")
    for (let polls = 0; polls < 10; polls++) expect(it.poll(untouched, true)).toBe("fine")
    expect(it.poll(using(1 * MiB, { dataBytes: 118 * MiB + 1 }), true)).toBe("fine")
    expect(it.poll(using(1 * MiB, { dataBytes: 118 * MiB + 2 }), true)).toBe("weigh")
  })

  test("[memory.ceiling-counts-all] a room that was weighed is left alone for a while", () => {
    const it = watch()
    poll(it, 80 * MiB)
    it.weighed(live(1, 80 * MiB))
    for (let polls = 0; polls < 10; polls++) expect(poll(it, 80 * MiB)).toBe("fine")
    expect(poll(it, 80 * MiB)).toBe("weigh")
  })

  test("[memory.ceiling-counts-all] a missing answer, or one that is not a number, counts as too much memory", () => {
    const silent = watch()
    poll(silent, 80 * MiB)
    for (let polls = 0; polls < 5; polls++) expect(poll(silent, 80 * MiB)).toBe("fine")
    expect(poll(silent, 80 * MiB)).toBe("over")
    const liar = watch()
    poll(liar, 80 * MiB)
    expect(liar.weighed(live(Number.NaN, 80 * MiB))).toBe("over")
  })

  test("[C-40] a process that waits for a CPU gets four times as long to answer a weighing", () => {
    let waitedMs = 0
    const waits = () => (waitedMs += PollEveryMs)
    const silent = watch(64, waits)
    poll(silent, 80 * MiB)
    let polls = 1
    while (polls < 1000 && poll(silent, 80 * MiB) === "fine") polls++
    expect(polls).toBeGreaterThan(pace.busyAnswerPolls - 4)
    expect(polls).toBeLessThanOrEqual(pace.busyAnswerPolls + 1)
    const growing = watch(64, waits)
    poll(growing, 80 * MiB)
    expect(poll(growing, 161 * MiB)).toBe("over")
  })

  test("[memory.ceiling-counts-all] a room that lies low is judged by what it really has", () => {
    const it = watch()
    poll(it, 80 * MiB)
    it.weighed(live(0, 80 * MiB))
    expect(poll(it, 161 * MiB)).toBe("over")
  })

  test("[memory.ceiling-counts-all] while it loads it is not weighed, only ended", () => {
    expect(watch().poll(using(80 * MiB), false)).toBe("fine")
    expect(watch().poll(using(161 * MiB), false)).toBe("over")
  })

  test("[C-40] where nothing can be measured a room is weighed now and then", () => {
    const it = new MemoryWatch({ memoryMiB: 64 }, pace, untold)
    it.baseline(null)
    const verdicts = Array.from({ length: 50 }, () => it.poll(null, true))
    expect(verdicts.slice(0, -1).every((verdict) => verdict === "fine")).toBe(true)
    expect(verdicts.at(-1)).toBe("weigh")
    expect(it.weighed({ liveBytes: 64 * MiB + 1, mapped: null, memory: null })).toBe("over")
  })

  describe("of a room with physics", () => {
    const physics = (): MemoryWatch => {
      const made = starting()
      for (let polls = 0; polls < 30; polls++) poll(made, 0)
      return made
    }

    const starting = (): MemoryWatch => {
      const made = new MemoryWatch({ memoryMiB: 64, physics: true }, pace, untold)
      made.baseline(base)
      return made
    }

    test("[C-865] is left alone for 30 polls from its start on, up to the line that needs no weighing", () => {
      const it = starting()
      for (let polls = 0; polls < 30; polls++) expect(poll(it, 160 * MiB)).toBe("fine")
      expect(poll(it, 160 * MiB)).toBe("weigh")
      expect(poll(starting(), 161 * MiB)).toBe("over")
    })

    test("[C-865] compiled code is apart up to 128 MiB, and what is over it counts", () => {
      const it = physics()
      poll(it, 80 * MiB)
      expect(it.weighed({ ...live(64 * MiB, 80 * MiB), mapped: wasm(0, 128 * MiB) })).toBe("fine")
      const over = physics()
      poll(over, 80 * MiB)
      const code = { mapped: wasm(0, 128 * MiB + 1) }
      expect(over.weighed({ ...live(64 * MiB, 80 * MiB), ...code })).toBe("over")
    })

    test("[C-865] adds the code of the last weighing to the bound at which a room ends at once, and nothing else", () => {
      const it = physics()
      expect(poll(it, 161 * MiB)).toBe("over")
      const weighed = physics()
      poll(weighed, 80 * MiB)
      weighed.weighed({ ...live(10 * MiB, 80 * MiB), mapped: wasm(0, 20 * MiB) })
      expect(poll(weighed, 180 * MiB)).toBe("fine")
      expect(poll(weighed, 180 * MiB + 1)).toBe("over")
    })

    test("[C-865] is not weighed again for code that was seen, but for each byte over it", () => {
      const it = physics()
      const seen = { ...live(60 * MiB, 80 * MiB), mapped: wasm(0, 17 * MiB) }
      poll(it, 80 * MiB)
      expect(it.weighed(seen)).toBe("fine")
      for (let polls = 0; polls < 30; polls++) expect(poll(it, 81 * MiB)).toBe("fine")
      expect(poll(it, 81 * MiB + 1)).toBe("weigh")
    })

    test("[C-865] is weighed again for memory in the place of the code that was seen", () => {
      const it = physics()
      poll(it, 80 * MiB)
      it.weighed({ ...live(60 * MiB, 80 * MiB), mapped: wasm(0, 17 * MiB) })
      for (let polls = 0; polls < 10; polls++) poll(it, 80 * MiB)
      const grown = (dataBytes: number) => it.poll(using(80 * MiB, { dataBytes }), true)
      expect(grown(84 * MiB)).toBe("fine")
      expect(grown(84 * MiB + 1)).toBe("weigh")
    })

    test("[C-865] WebAssembly memory stays in the ceiling", () => {
      const it = physics()
      poll(it, 80 * MiB)
      const mapped = wasm(54 * MiB + 1, 20 * MiB)
      expect(it.weighed({ ...live(10 * MiB, 80 * MiB), mapped })).toBe("over")
    })

    test("[C-865] where nobody may look, 128 MiB of what is resident may be code", () => {
      const memory = using(159 * MiB, { sizeBytes: WasmReservationBytes })
      const blind = { liveBytes: 31 * MiB, mapped: null, memory }
      const it = physics()
      it.poll(memory, true)
      expect(it.weighed(blind)).toBe("fine")
      const plain = watch()
      plain.poll(memory, true)
      expect(plain.weighed(blind)).toBe("over")
    })
  })
})
