import { MiB } from "@atrium/domain/Limits"
import { describe, expect, test } from "vitest"

import { MemoryWatch } from "./MemoryWatch.ts"

const baseBytes = 10 * MiB
const watch = (): MemoryWatch => {
  const made = new MemoryWatch(64, { answerPolls: 5, restPolls: 10 })
  made.baseline(baseBytes)
  return made
}
const poll = (it: MemoryWatch, usedBytes: number): string => it.poll(baseBytes + usedBytes, true)

describe("a room's memory", () => {
  test("[memory.ceiling-counts-all] at the ceiling is fine, one byte more is weighed", () => {
    expect(poll(watch(), 64 * MiB)).toBe("fine")
    expect(poll(watch(), 64 * MiB + 1)).toBe("weigh")
  })

  test("[memory.ceiling-counts-all] far over the ceiling needs no weighing", () => {
    expect(poll(watch(), 112 * MiB)).toBe("weigh")
    expect(poll(watch(), 112 * MiB + 1)).toBe("over")
  })

  test("[memory.ceiling-counts-all] garbage is let go, what lives is not", () => {
    const light = watch()
    expect(poll(light, 80 * MiB)).toBe("weigh")
    expect(light.weighed(64 * MiB)).toBe("fine")
    const heavy = watch()
    expect(poll(heavy, 80 * MiB)).toBe("weigh")
    expect(heavy.weighed(64 * MiB + 1)).toBe("over")
  })

  test("[memory.ceiling-counts-all] a room that was weighed is left alone for a while", () => {
    const it = watch()
    poll(it, 80 * MiB)
    it.weighed(1)
    for (let polls = 0; polls < 10; polls++) expect(poll(it, 80 * MiB)).toBe("fine")
    expect(poll(it, 80 * MiB)).toBe("weigh")
  })

  test("[memory.ceiling-counts-all] silence counts as too much", () => {
    const it = watch()
    poll(it, 80 * MiB)
    for (let polls = 0; polls < 5; polls++) expect(poll(it, 80 * MiB)).toBe("fine")
    expect(poll(it, 80 * MiB)).toBe("over")
  })

  test("[memory.ceiling-counts-all] a room that lies low is judged by what it really has", () => {
    const it = watch()
    poll(it, 80 * MiB)
    it.weighed(0)
    expect(poll(it, 113 * MiB)).toBe("over")
  })

  test("[memory.ceiling-counts-all] nothing is judged where nothing can be measured, nor weighed while loading", () => {
    expect(watch().poll(null, true)).toBe("fine")
    expect(watch().poll(baseBytes + 80 * MiB, false)).toBe("fine")
    expect(watch().poll(baseBytes + 113 * MiB, false)).toBe("over")
    expect(new MemoryWatch(64, { answerPolls: 5, restPolls: 10 }).poll(1000 * MiB, true)).toBe(
      "fine"
    )
  })
})
