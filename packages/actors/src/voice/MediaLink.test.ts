import { PassThrough } from "node:stream"

import { VoiceMediaLimits } from "@atrium/domain/voice/VoiceMediaLimits"
import { lineOf, type MediaWord } from "@atrium/voice/process/MediaMessages"
import { everybody } from "@atrium/wire/voice/VoiceGroups"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"

import type { LaunchedOwner } from "../process/launcher/LauncherLink.ts"
import { MediaLink } from "./MediaLink.ts"

const settings = {
  host: "127.0.0.1",
  addresses: [],
  ports: { min: 40_000, max: 40_000 },
  janus: null
}
const join = { call: 1, offer: "sdp", groups: everybody }
const { voiceAnswer, voiceIdle, voiceRestart, voiceLineBytes } = VoiceMediaLimits

/** A media process of a test: what it was told, and what it says. */
class FakeProcess {
  readonly #owner: LaunchedOwner
  readonly #said = new PassThrough()
  readonly orders: Array<unknown> = []
  killed = false

  constructor(owner: LaunchedOwner) {
    this.#owner = owner
  }

  begin(): void {
    const take = (line: string): void => void this.orders.push(line)
    const frames = Object.assign(this.#said, {
      write: (line: string) => {
        take(line)
        return true
      }
    })
    // Of the pipes only what a link uses is there.
    const pipes = { frames, stdout: new PassThrough(), stderr: new PassThrough() }
    this.#owner.started(7, pipes as unknown as Parameters<LaunchedOwner["started"]>[1])
  }

  say(...lines: ReadonlyArray<MediaWord | string>): void {
    for (const line of lines)
      this.#said.emit("data", typeof line === "string" ? line : lineOf(line))
  }

  end(): void {
    this.#owner.ended({ code: null, signal: "SIGKILL" })
  }
}

const started = () => {
  const processes: Array<FakeProcess> = []
  const notices: Array<string> = []
  const link = new MediaLink({
    launch: (owner) => {
      const made = new FakeProcess(owner)
      processes.push(made)
      return () => {
        made.killed = true
      }
    },
    settings,
    nowMs: () => performance.now(),
    notice: (line) => void notices.push(line)
  })
  const told: Array<string> = []
  const enter = (id: number): void =>
    link.media.join(id, join, {
      joined: (answer) => void told.push(`${id} joined ${answer}`),
      offered: (offer) => void told.push(`${id} offered ${offer}`),
      refused: ({ code }) => void told.push(`${id} refused ${code}`),
      slotsChanged: (speakers) => void told.push(`${id} slots ${speakers.join()}`),
      lost: () => void told.push(`${id} lost`)
    })
  return { link, processes, notices, told, enter }
}

describe("the link to the media process", () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test("[C-890] starts it at the first join, and passes words to those who are there", () => {
    const { processes, told, enter, link } = started()
    expect(processes).toEqual([])
    enter(1)
    enter(2)
    const [media] = processes
    media?.begin()
    expect(processes.length).toBe(1)
    expect(media?.orders).toEqual([
      "go\n",
      lineOf({ order: "begin", settings }),
      lineOf({ order: "join", participant: 1, ...join }),
      lineOf({ order: "join", participant: 2, ...join })
    ])
    media?.say({ word: "joined", participant: 1, answer: "sdp" })
    media?.say({ word: "refused", participant: 2, code: "E_VOICE_FULL", message: "full" })
    link.media.leave(1)
    media?.say({ word: "slots", participant: 1, speakers: [2] })
    expect(told).toEqual(["1 joined sdp", "2 refused E_VOICE_FULL"])
  })

  test("[C-899] passes the offer of a further connection, and its answer", () => {
    const { processes, told, enter, link } = started()
    enter(1)
    processes[0]?.begin()
    processes[0]?.say({ word: "joined", participant: 1, answer: "sdp" })
    processes[0]?.say({ word: "offered", participant: 1, offer: "more" })
    link.media.answer(1, "yes")
    link.media.answer(2, "a stranger's")
    expect(told).toEqual(["1 joined sdp", "1 offered more"])
    expect(processes[0]?.orders.slice(3)).toEqual([
      lineOf({ order: "answer", participant: 1, answer: "yes" })
    ])
  })

  test("[C-890] an end takes all participants along, and the next join starts another a second later", () => {
    const { processes, told, notices, enter } = started()
    enter(1)
    enter(2)
    processes[0]?.begin()
    processes[0]?.end()
    expect(told).toEqual(["1 lost", "2 lost"])
    expect(notices).toEqual(["the process of voice calls ended, with 2 in calls: SIGKILL"])
    vi.advanceTimersByTime(voiceRestart.ms - 1)
    enter(3)
    vi.advanceTimersByTime(0)
    expect([processes.length, told.at(-1)]).toEqual([1, "3 lost"])
    vi.advanceTimersByTime(1)
    enter(4)
    expect(processes.length).toBe(2)
  })

  test("[limits.voiceAnswer] a process that does not answer a join in time is ended", () => {
    const { processes, enter } = started()
    enter(1)
    processes[0]?.begin()
    vi.advanceTimersByTime(voiceAnswer.ms - 1)
    expect(processes[0]?.killed).toBe(false)
    vi.advanceTimersByTime(1)
    expect(processes[0]?.killed).toBe(true)
  })

  test("[limits.voiceIdle] a process without calls is ended after a minute, and not before", () => {
    const { processes, notices, enter, link } = started()
    enter(1)
    processes[0]?.begin()
    link.media.leave(1)
    vi.advanceTimersByTime(voiceIdle.ms - 1)
    enter(2)
    processes[0]?.say({ word: "joined", participant: 2, answer: "sdp" })
    vi.advanceTimersByTime(voiceIdle.ms)
    expect(processes[0]?.killed).toBe(false)
    link.media.leave(2)
    vi.advanceTimersByTime(voiceIdle.ms)
    expect(processes[0]?.killed).toBe(true)
    processes[0]?.end()
    expect(notices).toEqual([])
  })

  test("[C-896] prepared for a call, it runs before the first join, and ends after a minute without one", () => {
    const { processes, told, enter, link } = started()
    link.media.prepare()
    processes[0]?.begin()
    vi.advanceTimersByTime(voiceIdle.ms - 1)
    link.media.prepare()
    vi.advanceTimersByTime(voiceIdle.ms - 1)
    enter(1)
    processes[0]?.say({ word: "joined", participant: 1, answer: "sdp" })
    link.media.prepare()
    vi.advanceTimersByTime(voiceIdle.ms)
    expect([processes.length, processes[0]?.killed, told]).toEqual([1, false, ["1 joined sdp"]])
    link.media.leave(1)
    vi.advanceTimersByTime(voiceIdle.ms)
    expect(processes[0]?.killed).toBe(true)
  })

  test.each([
    ["no JSON", "hello\n", true],
    ["an unknown word", '{"word":"sing","participant":1}\n', true],
    ["a slot that is none", '{"word":"slots","participant":1,"speakers":["a"]}\n', true],
    ["a line at the bound", "x".repeat(voiceLineBytes.max), false],
    ["a line past the bound", "x".repeat(voiceLineBytes.max + 1), true]
  ])("[C-890] a process that says %s", (_, line, isKilled) => {
    const { processes, enter } = started()
    enter(1)
    processes[0]?.begin()
    processes[0]?.say(line)
    expect(processes[0]?.killed).toBe(isKilled)
  })
})
