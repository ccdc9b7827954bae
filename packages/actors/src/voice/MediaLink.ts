import { VoiceMediaLimits } from "@atrium/domain/voice/VoiceMediaLimits"
import type { MediaJoin } from "@atrium/voice/media/VoiceMedia"
import {
  lineOf,
  type MediaOrder,
  type MediaSettings,
  type MediaWord,
  readWord
} from "@atrium/voice/process/MediaMessages"
import { serviceMessage } from "@atrium/wire/text/ServiceMessage"
import type { VoiceGroups } from "@atrium/wire/voice/VoiceGroups"

import type { Launch, LaunchedPipes } from "../process/launcher/LauncherLink.ts"
import { GoLine, PipeNames } from "../process/launcher/LauncherMessages.ts"
import { LineReader } from "../process/LineReader.ts"
import type { ParticipantListener, RunnerMedia } from "./RunnerMedia.ts"

interface MediaLinkParts {
  readonly launch: Launch
  readonly settings: MediaSettings
  readonly nowMs: () => number
  /** Gets a line for the operator. */
  readonly notice: (line: string) => void
}

interface Participant {
  readonly listener: ParticipantListener
  /** Guards against a process that does not answer the join. */
  answer: NodeJS.Timeout | null
}

/**
 * The service's side of the media process: it is started by the first join, or before it where a room comes with
 * its call, and ends when nobody has been in a call for a while. A process that ends takes the media of all participants along; the next join starts another.
 */
export class MediaLink {
  readonly #parts: MediaLinkParts
  readonly #participants = new Map<number, Participant>()
  #process: MediaProcess | null = null
  #startedAtMs = Number.NEGATIVE_INFINITY
  #idle: NodeJS.Timeout | null = null
  #closed = false

  constructor(parts: MediaLinkParts) {
    this.#parts = parts
  }

  readonly media: RunnerMedia["Service"] = {
    prepare: () => this.#prepare(),
    join: (participant, join, listener) => this.#join(participant, join, listener),
    answer: (participant, answer) => this.#answer(participant, answer),
    leave: (participant) => this.#leave(participant),
    setGroups: (participant, groups) => this.#setGroups(participant, groups)
  }

  close(): void {
    this.#closed = true
    this.#process?.kill()
  }

  #prepare(): void {
    if (this.#running() !== null) this.#restSoon()
  }

  #join(participant: number, join: MediaJoin, listener: ParticipantListener): void {
    const running = this.#running()
    // A process that ends as soon as it starts would be started for each join.
    if (running === null) return void setImmediate(() => listener.lost())
    if (this.#idle !== null) clearTimeout(this.#idle)
    this.#idle = null
    const answer = setTimeout(
      () => running.kill("it did not answer a join"),
      VoiceMediaLimits.voiceAnswer.ms
    )
    this.#participants.set(participant, { listener, answer })
    running.order({ order: "join", participant, ...join })
  }

  #leave(participant: number): void {
    if (!this.#forget(participant)) return
    this.#order({ order: "leave", participant })
    this.#restSoon()
  }

  #answer(participant: number, answer: string): void {
    if (this.#participants.has(participant)) this.#order({ order: "answer", participant, answer })
  }

  #setGroups(participant: number, groups: VoiceGroups): void {
    if (this.#participants.has(participant)) this.#order({ order: "groups", participant, groups })
  }

  #order(order: MediaOrder): void {
    this.#process?.order(order)
  }

  /** @returns whether it was there */
  #forget(participant: number): boolean {
    const known = this.#participants.get(participant)
    if (known !== undefined) this.#answered(known)
    return this.#participants.delete(participant)
  }

  #answered(participant: Participant): void {
    if (participant.answer !== null) clearTimeout(participant.answer)
    participant.answer = null
  }

  #restSoon(): void {
    if (this.#participants.size > 0 || this.#process === null) return
    if (this.#idle !== null) clearTimeout(this.#idle)
    this.#idle = setTimeout(() => this.#process?.kill(), VoiceMediaLimits.voiceIdle.ms)
    this.#idle.unref()
  }

  /** The process, started if there is none; `null` = the last one has only just been started. */
  #running(): MediaProcess | null {
    if (this.#process !== null) return this.#process
    const nowMs = this.#parts.nowMs()
    if (this.#closed || nowMs - this.#startedAtMs < VoiceMediaLimits.voiceRestart.ms) return null
    this.#startedAtMs = nowMs
    const { launch, settings, notice } = this.#parts
    this.#process = new MediaProcess(launch, {
      said: (word) => this.#said(word),
      notice,
      ended: (why) => this.#ended(why)
    })
    this.#process.order({ order: "begin", settings })
    return this.#process
  }

  #said(word: MediaWord): void {
    const known = this.#participants.get(word.participant)
    // It has left while the word was on its way.
    if (known === undefined) return
    const { listener } = known
    switch (word.word) {
      case "joined":
        this.#answered(known)
        return listener.joined(word.answer)
      case "offered":
        return listener.offered(word.offer)
      case "refused":
        this.#forget(word.participant)
        this.#restSoon()
        return listener.refused({ code: word.code, message: serviceMessage(word.message) })
      case "slots":
        return listener.slotsChanged(word.speakers)
    }
  }

  #ended(why: string | null): void {
    this.#process = null
    if (this.#idle !== null) clearTimeout(this.#idle)
    this.#idle = null
    const lost = [...this.#participants.values()]
    this.#participants.clear()
    for (const each of lost) this.#answered(each)
    if (why !== null && !this.#closed) {
      this.#parts.notice(`the process of voice calls ended, with ${lost.length} in calls: ${why}`)
    }
    for (const { listener } of lost) listener.lost()
  }
}

interface MediaProcessOwner {
  said(word: MediaWord): void
  notice(line: string): void
  /** Once, and nothing after it. @param why `null` = the service has ended it as nobody needs it */
  ended(why: string | null): void
}

/** Lines of a process that are passed on; what strangers send must not fill a log. */
const noticesMax = 20

/** One media process: lines in and out. */
class MediaProcess {
  readonly #owner: MediaProcessOwner
  readonly #kill: () => void
  /** Orders that wait for the process. */
  #waiting: Array<string> = []
  #pipes: LaunchedPipes | null = null
  #held = ""
  #why: string | null = null
  #killed = false
  #notices = 0

  constructor(launch: Launch, owner: MediaProcessOwner) {
    this.#owner = owner
    this.#kill = launch({
      started: (_pid, pipes) => this.#begin(pipes),
      ended: ({ code, signal, notStarted, lost }) =>
        this.#end(notStarted ?? lost ?? signal ?? `exit code ${code}`)
    })
  }

  order(order: MediaOrder): void {
    const line = lineOf(order)
    if (this.#pipes === null) this.#waiting.push(line)
    else this.#pipes.frames.write(line)
  }

  /** @param why absent = nobody needs it any more */
  kill(why?: string): void {
    if (this.#killed) return
    this.#killed = true
    this.#why = why ?? null
    this.#kill()
    this.#closePipes()
  }

  #begin(pipes: LaunchedPipes): void {
    this.#pipes = pipes
    for (const name of PipeNames) pipes[name].on("error", () => {})
    if (this.#killed) return this.#closePipes()
    pipes.stdout.destroy()
    const errors = new LineReader((line) => {
      if (this.#notices++ < noticesMax) this.#owner.notice(`the process of voice calls: ${line}`)
    })
    pipes.stderr.on("data", (chunk: Buffer) => errors.read(chunk))
    pipes.frames.setEncoding("utf8")
    pipes.frames.on("data", (text: string) => this.#read(text))
    pipes.frames.write(GoLine)
    for (const line of this.#waiting) pipes.frames.write(line)
    this.#waiting = []
  }

  #read(text: string): void {
    const lines = (this.#held + text).split("\n")
    this.#held = lines.pop() ?? ""
    if (this.#held.length > VoiceMediaLimits.voiceLineBytes.max)
      return this.kill("a line is too long")
    for (const line of lines) {
      if (this.#killed) return
      const word = readWord(line)
      if (word === null) return this.kill("it broke the protocol")
      this.#owner.said(word)
    }
  }

  #closePipes(): void {
    for (const name of PipeNames) this.#pipes?.[name].destroy()
  }

  #end(how: string): void {
    this.#closePipes()
    this.#owner.ended(this.#killed ? this.#why : how)
  }
}
