import { LinkLimits } from "@atrium/domain/link/LinkLimits"

import { questionsSince } from "../cluster/RunnerProtocol.ts"
import { LinkFault, LinkKind } from "./LinkFrames.ts"
import { linkAnswer, linkQuestion, type LinkQuestion } from "./LinkMessages.ts"

/**
 * Questions over a link: a runner asks for what the other one has in memory. The answer comes in parts, one for the
 * question and one for each `more`, so that no more than one part is on its way. Source: C-423.
 */
export interface AskedQuestion extends LinkQuestion {
  /** A part has come. */
  readonly told: (part: unknown) => void
  /** Called once, and nothing after it: no further part comes. */
  readonly failed: (why: string) => void
}

/** Why a question fails that is newer than the runner: it is not asked. */
export const olderRunner = "the runner is of a version that does not know the question"

/** Sends a frame over the link. */
type Send = (kind: number, ref: number, bytes?: Uint8Array) => void

/** The questions of this runner to the one at the other end. */
export class LinkQuestions {
  readonly #send: Send
  readonly #version: () => number
  readonly #open = new Map<number, AskedQuestion>()
  /** Until the link is proven, questions wait. */
  #isProven = false

  /** @param version that both runners speak, once the link is proven */
  constructor(send: Send, version: () => number) {
    this.#send = send
    this.#version = version
  }

  has(ref: number): boolean {
    return this.#open.has(ref)
  }

  ask(ref: number, question: AskedQuestion): void {
    this.#open.set(ref, question)
    if (this.#isProven) this.#begin(ref, question)
  }

  /** The next part is wanted. */
  more(ref: number): void {
    if (this.#open.has(ref)) this.#send(LinkKind.more, ref)
  }

  /** Nothing is told of the question any more. */
  end(ref: number): void {
    if (this.#open.delete(ref) && this.#isProven) this.#send(LinkKind.enough, ref)
  }

  /** Both runners have proven the key. */
  proven(): void {
    this.#isProven = true
    for (const [ref, question] of this.#open) this.#begin(ref, question)
  }

  /** A frame of the other runner on one of the questions. */
  frame(kind: number, ref: number, bytes: Buffer): void {
    const question = this.#open.get(ref)
    // It was ended meanwhile.
    if (question === undefined) return
    if (kind === LinkKind.answer) return question.told(linkAnswer.unpack(bytes))
    this.#open.delete(ref)
    question.failed(bytes.toString())
  }

  /** The link has ended. */
  lost(why: string): void {
    const questions = [...this.#open.values()]
    this.#open.clear()
    for (const { failed } of questions) failed(why)
  }

  #begin(ref: number, question: AskedQuestion): void {
    const { name, input } = question
    if ((questionsSince.get(name) ?? 0) > this.#version()) {
      this.#open.delete(ref)
      return question.failed(olderRunner)
    }
    this.#send(LinkKind.ask, ref, linkQuestion.pack({ name, input }))
  }
}

/** A question that is being answered. */
interface OpenAnswer {
  /** The next part is wanted. */
  more(): void
  end(): void
}

/** How a runner answers. */
export interface AnsweredQuestions {
  /** Gives the first part, and one for each `more`. */
  open(
    question: LinkQuestion,
    tell: { readonly part: (bytes: Uint8Array) => void; readonly failed: (why: string) => void }
  ): OpenAnswer
}

/** A question of the other runner; `null` = its answer has not begun yet. */
interface OpenQuestion {
  answer: OpenAnswer | null
}

/** The questions that the runner at the other end has asked this one. */
export class LinkAnswers {
  readonly #send: Send
  readonly #answered: AnsweredQuestions
  readonly #open = new Map<number, OpenQuestion>()

  constructor(send: Send, answered: AnsweredQuestions) {
    this.#send = send
    this.#answered = answered
  }

  frame(kind: number, ref: number, bytes: Buffer): void {
    if (kind === LinkKind.ask) return this.#ask(ref, linkQuestion.unpack(bytes))
    // The answer may have failed meanwhile.
    const answer = this.#open.get(ref)?.answer
    if (kind === LinkKind.more) return answer?.more()
    this.#open.delete(ref)
    answer?.end()
  }

  /** The link has ended: nobody waits for an answer. */
  lost(): void {
    const questions = [...this.#open.values()]
    this.#open.clear()
    for (const { answer } of questions) answer?.end()
  }

  #ask(ref: number, question: LinkQuestion): void {
    if (this.#open.has(ref)) throw new LinkFault(`ref ${ref} is taken`)
    if (this.#open.size >= LinkLimits.linkQuestions.max)
      return this.#fail(ref, "too many questions")
    const open: OpenQuestion = { answer: null }
    this.#open.set(ref, open)
    // The ref may belong to a later question by the time that something comes.
    const isOpen = (): boolean => this.#open.get(ref) === open
    open.answer = this.#answered.open(question, {
      part: (bytes) => {
        if (isOpen()) this.#send(LinkKind.answer, ref, bytes)
      },
      failed: (why) => {
        if (!isOpen()) return
        this.#open.delete(ref)
        this.#fail(ref, why)
      }
    })
  }

  #fail(ref: number, why: string): void {
    this.#send(LinkKind.unanswered, ref, Buffer.from(why))
  }
}
