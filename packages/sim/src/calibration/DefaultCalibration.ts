import { GiB, KiB, MiB } from "@atrium/wire/limits/Limit"

import type { Calibration } from "./Calibration.ts"

/**
 * The figures that a plan uses without `--calibration`: those of docs/performance.md, measured on a small
 * virtual machine whose host was busy. A machine of its own is likely to be faster.
 */
export const defaultCalibration: Calibration = {
  machine: {
    name: "two shared cores of a small virtual machine (Firecracker)",
    cores: 2,
    memoryBytes: 8 * GiB,
    measuredOn: "2026-11-22"
  },
  cpu: {
    joinAwakeMs: 3.9,
    joinNewRoomMs: 186,
    joinNewRelayRoomMs: 31,
    wakeMs: 125,
    snapshotMs: 3,
    snapshotPerKbMs: 0.02,
    messageInUs: 40,
    messageInBusyUs: 25,
    messageInPerKbUs: 10,
    patchOutUs: 9,
    patchOutPerKbUs: 13,
    tickUs: 600,
    serviceShare: 0.62,
    runnerIdleCores: 0.07
  },
  memory: {
    socketBytes: 20 * KiB,
    relayRoomBytes: 158 * KiB,
    roomWithCodeBytes: 13.7 * MiB,
    statePerByte: 4,
    runnerBytes: 200 * MiB
  },
  writes: { perJoin: 0, perWake: 3, perSnapshot: 1, perDurableCall: 0, perRunnerSecond: 6 },
  latency: {
    joinAwakeP50Ms: 6,
    joinAwakeP99Ms: 30,
    wakeP50Ms: 55,
    wakeP99Ms: 222,
    failoverMs: 4000
  },
  wire: { perPatchBytes: 8, perWelcomeBytes: 512 },
  sources: {
    "machine.memoryBytes": "a guess: docs/performance.md names the cores alone",
    "cpu.joinAwakeMs": "W3, sequential, rooms awake",
    "cpu.joinNewRoomMs":
      "W3, sequential, new rooms: 186 ms; by ratio to plain ws it went from 62 to 300",
    "cpu.joinNewRelayRoomMs": "W3, a new relay room beside 50 others; beside 300 it was 93 ms",
    "cpu.wakeMs": "what stands in the way, W3: a start and the process prepared for the next one",
    "cpu.snapshotMs": "what stands in the way, W5: one write is 3 ms; its CPU is at most that",
    "cpu.snapshotPerKbMs": "a guess: no row measures it",
    "cpu.messageInUs":
      "what stands in the way, W1: a room that is woken takes 40 to 80 µs without load",
    "cpu.messageInBusyUs":
      "`atrium sim calibrate` of 2026-11-23, on two cores that had no other work",
    "cpu.messageInPerKbUs": "a guess: no row measures it",
    "cpu.patchOutUs": "W1: 1.14 cores at 96,000 deliveries a second, less its 6,400 messages",
    "cpu.patchOutPerKbUs":
      "W2, float32: 3.9 ms a tick with 64 patches of 3,214 bytes, less cpu.patchOutUs and cpu.tickUs",
    "cpu.tickUs": "W2: one wake of a room and of the service",
    "cpu.serviceShare":
      "what stands in the way, W1: the service has 0.43 core, the twenty rooms 0.26",
    "cpu.runnerIdleCores": "W4, CPU with all of them idle",
    "memory.socketBytes": "W4, memory per idle socket",
    "memory.relayRoomBytes": "W4, memory per relay room, less its one socket",
    "memory.roomWithCodeBytes": "W4, memory per awake room with code",
    "memory.statePerByte": "a guess: JavaScript's objects for what the codec packs",
    "memory.runnerBytes": "what a start of a process costs: a service of 200 MiB",
    "writes.perJoin": "what stands in the way, W3: a join reads, and players are reported together",
    "writes.perWake": "what stands in the way, W5: its epoch and that it runs; and that it sleeps",
    "writes.perSnapshot": "what stands in the way, W5, snapshots",
    "writes.perDurableCall": "its snapshot is what is written (D-48), and a plan counts that",
    "writes.perRunnerSecond":
      "reports of rooms every 250 ms and of servers every 500 ms (RoomLimits, ServerLimits)",
    "latency.joinAwakeP50Ms": "clients of another runner: a join took 5.63 ms at the room's runner",
    "latency.joinAwakeP99Ms": "a guess: five times the median",
    "latency.wakeP50Ms": "what a start of a process costs: 55 ms at a wake under load 5 to 6",
    "latency.wakeP99Ms": "what a start of a process costs: 222 ms at a room's first join",
    "latency.failoverMs": "a guess: the service promises 5 s",
    "wire.perPatchBytes": "a guess: header of the frame, tag and tick",
    "wire.perWelcomeBytes": "a guess: the welcome without its state"
  }
}
