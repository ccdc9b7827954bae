import { ReplayStoreLimits } from "@atrium/domain/replay/ReplayStoreLimits"
import { FrameHeaderBytes } from "@atrium/runtime/host/HostFrames"
import { PackerFrame, PackerFrames } from "@atrium/runtime/replay/packer/PackerFrames"
import { ReplayLimits } from "@atrium/wire/replay/ReplayLimits"
import { expect, test } from "vitest"

import { Packer } from "./Packer.ts"
import { PollEveryMs } from "./ProcessPace.ts"
import type { Child, ChildOwner } from "./RoomChild.ts"

/** A process that writes down what it is sent, and answers when the test says so. */
class FakeChild implements Child {
  readonly pid = 1
  readonly sent = 0
  readonly heldBytes = 0
  readonly unreadBytes = 0
  readonly kinds: number[] = []
  killed = false
  readonly #owner: ChildOwner

  constructor(owner: ChildOwner) {
    this.#owner = owner
  }

  send(frame: Uint8Array): void {
    this.kinds.push(frame[4] ?? 0)
  }

  sendData(): void {}
  poll(): void {}

  kill(): void {
    this.killed = true
    this.#owner.ended({ code: null, signal: "SIGKILL", errorTail: "" })
  }

  says(bytes: number): void {
    this.#owner.came(bytes)
  }

  answers(frame: Uint8Array): void {
    this.#owner.frame(frame[4] ?? 0, Buffer.from(frame.subarray(FrameHeaderBytes)))
  }
}

const made = () => {
  const children: FakeChild[] = []
  const packer = new Packer({
    spawn: (owner) => {
      const child = new FakeChild(owner)
      children.push(child)
      return child
    },
    code: () => Promise.resolve(Uint8Array.of(0))
  })
  const schema = {}
  const pack = (bytes = Uint8Array.of(1)) => packer.pack({ schema, bytes, fromMs: null })
  const pass = (ms: number): void => {
    for (let passed = 0; passed < ms; passed += PollEveryMs) packer.poll()
  }
  return { packer, children, pack, pass }
}

const settle = async (): Promise<void> => {
  for (let round = 0; round < 10; round++) await Promise.resolve()
}

const chunk = { fromMs: 1, toMs: 2, fromTick: 3, toTick: 4, plainBytes: 5, bytes: Uint8Array.of(6) }

test("[C-833] one chunk is packed at a time, with one process and its schema sent once", async () => {
  const { children, pack } = made()
  const answers = [pack(), pack()]
  await settle()
  expect(children).toHaveLength(1)
  const load = 1
  expect(children[0]?.kinds).toEqual([load, PackerFrame.schema, PackerFrame.pack])
  children[0]?.answers(PackerFrames.packed(1, chunk))
  expect(await answers[0]).toEqual({ _tag: "Packed", chunk })
  expect(children[0]?.kinds.at(-1)).toBe(PackerFrame.pack)
  children[0]?.answers(PackerFrames.refused(2, "no chunk"))
  expect(await answers[1]).toEqual({ _tag: "Refused", why: "no chunk" })
  expect(children[0]?.kinds).toHaveLength(4)
})

test("[C-833] a chunk that takes too long ends the process, and the next one has another", async () => {
  const { children, pack, pass } = made()
  const answers = [pack(), pack()]
  await settle()
  pass(ReplayStoreLimits.packTime.ms - PollEveryMs)
  expect(children[0]?.killed).toBe(false)
  pass(PollEveryMs)
  expect(await answers[0]).toMatchObject({ _tag: "Refused" })
  await settle()
  expect(children).toHaveLength(2)
  children[1]?.answers(PackerFrames.packed(2, chunk))
  expect(await answers[1]).toMatchObject({ _tag: "Packed" })
})

test("[C-833] a process that lies is ended, and one without work ends after a minute", async () => {
  const { children, pack, pass } = made()
  const first = pack()
  await settle()
  children[0]?.answers(PackerFrames.packed(9, chunk))
  expect(await first).toMatchObject({ _tag: "Refused" })
  const second = pack()
  await settle()
  children[1]?.answers(PackerFrames.packed(2, { ...chunk, toMs: 0 }))
  expect(await second).toMatchObject({ _tag: "Refused" })
  const third = pack()
  await settle()
  children[2]?.answers(PackerFrames.packed(3, chunk))
  await third
  pass(ReplayStoreLimits.packerIdle.ms)
  expect(children.map(({ killed }) => killed)).toEqual([true, true, true])
})

test("[C-833] a process that says more than a chunk and some words is ended; each chunk counts anew", async () => {
  const { children, pack } = made()
  const most = ReplayLimits.replayChunkBytes.max + ReplayStoreLimits.packerSaidBytes.max
  const first = pack()
  await settle()
  children[0]?.says(most)
  children[0]?.answers(PackerFrames.packed(1, chunk))
  expect(await first).toMatchObject({ _tag: "Packed" })
  const second = pack()
  await settle()
  children[0]?.says(most)
  expect(children[0]?.killed).toBe(false)
  children[0]?.says(1)
  expect(await second).toMatchObject({ _tag: "Refused" })
  expect(children[0]?.killed).toBe(true)
})

test("[C-833] no more chunks wait than may", async () => {
  const { packer, pack } = made()
  const answers = Array.from({ length: ReplayStoreLimits.packsWaiting.max + 1 }, () => pack())
  expect(await answers.at(-1)).toEqual({
    _tag: "Refused",
    why: "too many chunks wait to be packed"
  })
  await packer.close()
  expect(await answers[0]).toMatchObject({ _tag: "Refused" })
})

test("[C-833] chunks that wait have no more bytes together than they may", async () => {
  const { packer, children, pack } = made()
  const { max } = ReplayStoreLimits.packsWaitingBytes
  const first = pack()
  await settle()
  const largest = pack(new Uint8Array(max))
  const many = { _tag: "Refused", why: "too many chunks wait to be packed" }
  expect(await pack()).toEqual(many)
  // The next one is on its way to the process, and waits no more.
  children[0]?.answers(PackerFrames.packed(1, chunk))
  await first
  const next = pack(new Uint8Array(max - 1))
  expect(await pack(new Uint8Array(2))).toEqual(many)
  await packer.close()
  expect(await Promise.all([largest, next])).toMatchObject([
    { _tag: "Refused" },
    { _tag: "Refused" }
  ])
})
