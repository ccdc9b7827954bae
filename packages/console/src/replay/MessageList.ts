import { nodeOf } from "../room/StateNode.ts"

interface Message {
  readonly atMs: number
  readonly name: string
  readonly payload: unknown
}

/** A message as a line of the page. */
export interface MessageLine {
  readonly key: number
  readonly atMs: number
  readonly name: string
  readonly text: string
}

/** The last messages that a replay has told, the newest first. A room may send hundreds a second. */
export class MessageList {
  readonly #messages: Array<Message & { readonly key: number }> = []
  #count = 0

  add(message: Message): void {
    this.#count += 1
    this.#messages.push({ ...message, key: this.#count })
    if (this.#messages.length > 2 * kept) this.#messages.splice(0, kept)
  }

  lines(): ReadonlyArray<MessageLine> {
    return this.#messages
      .slice(-kept)
      .toReversed()
      .map(({ key, atMs, name, payload }) => ({ key, atMs, name, text: textOf(payload) }))
  }
}

/** Messages that the page shows. */
const kept = 100

const textOf = (payload: unknown): string => {
  const node = nodeOf("", payload)
  return node._tag === "Value" ? node.text : node.preview
}
