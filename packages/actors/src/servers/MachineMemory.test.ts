import { expect, test } from "vitest"

import { machineMemory } from "./MachineMemory.ts"

const kB = 1024
const reading = (files: Readonly<Record<string, string>>) => (path: string) => files[path] ?? null
const meminfo = "MemTotal:        8000 kB\nMemFree:         100 kB\nMemAvailable:    5000 kB"
const v2 = "/sys/fs/cgroup"
const v1 = "/sys/fs/cgroup/memory"

test.each([
  ["the machine's own figure", {}, { totalBytes: 8000 * kB, availableBytes: 5000 * kB }],
  [
    "a container's, with files that can be read again",
    {
      [`${v2}/memory.max`]: `${2000 * kB}`,
      [`${v2}/memory.current`]: `${1900 * kB}`,
      [`${v2}/memory.stat`]: `anon 1\ninactive_file ${600 * kB}\nactive_file 5`
    },
    { totalBytes: 2000 * kB, availableBytes: 700 * kB }
  ],
  [
    "a container's of cgroup v1",
    {
      [`${v1}/memory.limit_in_bytes`]: `${2000 * kB}`,
      [`${v1}/memory.usage_in_bytes`]: `${1500 * kB}`,
      [`${v1}/memory.stat`]: `inactive_file 7\ntotal_inactive_file ${100 * kB}`
    },
    { totalBytes: 2000 * kB, availableBytes: 600 * kB }
  ],
  [
    "a container's without a limit",
    { [`${v2}/memory.max`]: "max", [`${v2}/memory.current`]: `${1900 * kB}` },
    { totalBytes: 8000 * kB, availableBytes: 5000 * kB }
  ],
  [
    "one of v1 without a limit",
    {
      [`${v1}/memory.limit_in_bytes`]: "9223372036854771712",
      [`${v1}/memory.usage_in_bytes`]: "1"
    },
    { totalBytes: 8000 * kB, availableBytes: 5000 * kB }
  ],
  [
    "the machine's when that has less left than the container may take",
    {
      [`${v2}/memory.max`]: `${7000 * kB}`,
      [`${v2}/memory.current`]: `${1000 * kB}`,
      [`${v2}/memory.stat`]: ""
    },
    { totalBytes: 8000 * kB, availableBytes: 5000 * kB }
  ]
])("[C-140] what is left is %s", (_what, files, memory) => {
  expect(machineMemory(reading({ "/proc/meminfo": meminfo, ...files }))).toEqual(memory)
})

test("[C-140] a system without the figures in /proc has none", () => {
  expect(machineMemory(reading({}))).toBeNull()
  expect(machineMemory(reading({ "/proc/meminfo": "MemTotal: 8000 kB" }))).toBeNull()
})

test.runIf(process.platform === "linux")(
  "[C-140] Linux has a figure of its available memory",
  () => {
    const memory = machineMemory()
    expect(memory?.availableBytes).toBeGreaterThan(0)
    expect(memory?.availableBytes).toBeLessThanOrEqual(memory?.totalBytes ?? 0)
  }
)
