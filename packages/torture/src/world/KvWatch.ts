import { kvTable } from "@atrium/actors/kv/KvStore"
import type { PlayedAnswer } from "@atrium/actors/process/testing/MemoryRoomProcess"
import { Schema } from "effect"

import { outcomeOf } from "./CallOutcome.ts"
import { type WatchedGames, watchRows } from "./TableWatch.ts"
import { Violation } from "./Violation.ts"

/** The one key of every player. */
const key = "purse"

/** A player of a project, as the rows of its KV name it. */
interface Owner {
  readonly projectId: string
  readonly playerId: string
}

interface Wanted extends Owner {
  /** The word that the write adds to what the player has; none while the room reads. */
  readonly word: number | null
}

const readEntry = Schema.decodeUnknownSync(
  Schema.NullOr(Schema.Struct({ value: Schema.String, version: Schema.Int }))
)
const readWords = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(Schema.Int)))

/**
 * Every write adds a word of its own to what was read, by compare-and-set: what was acknowledged stays, and nothing
 * is there twice. A write that met another one added nothing.
 */
export class KvWatch {
  readonly #checked: (check: () => void) => void
  readonly #nextCall: () => number
  readonly #wanted = new Map<number, Wanted>()
  /** By player: words that were acknowledged, those of writes that came too late, and what is stored. */
  readonly #acknowledged = new Map<string, Set<number>>()
  readonly #refused = new Map<string, Set<number>>()
  readonly #stored = new Map<string, ReadonlyArray<number>>()
  #words = 0
  acknowledged = 0

  constructor(watched: WatchedGames, nextCall: () => number) {
    this.#checked = (check) => watched.checked(check)
    this.#nextCall = nextCall
    watchRows(kvTable.rowsIn(watched.tables), (_key, row) => {
      this.#stored.set(textOf(row), readWords(row.value))
      this.#checked(() => this.#check(row))
    })
  }

  /** The room reads what the player has. */
  read(owner: Owner) {
    const call = this.#nextCall()
    this.#wanted.set(call, { ...owner, word: null })
    return { does: "call", call, name: "kv.get", payload: { player: owner.playerId, key } } as const
  }

  /** @returns what the room is asked next; `null` = nothing, or the call is none of KV */
  answered(answer: PlayedAnswer) {
    const wanted = this.#wanted.get(answer.call)
    if (wanted === undefined) return null
    this.#wanted.delete(answer.call)
    if (wanted.word === null)
      return answer.answer === null ? null : this.#write(wanted, answer.answer.value)
    const outcome = outcomeOf(answer)
    if (outcome === "unclear") return null
    const isStored = outcome === "done" && answer.answer?.value !== null
    const words = wordsOf(isStored ? this.#acknowledged : this.#refused, wanted)
    words.add(wanted.word)
    if (isStored) this.acknowledged++
    this.#checked(() => this.#check(wanted))
    return null
  }

  #write({ projectId, playerId }: Wanted, read: unknown) {
    const entry = readEntry(read)
    const call = this.#nextCall()
    const word = ++this.#words
    this.#wanted.set(call, { projectId, playerId, word })
    const value = JSON.stringify([...(entry === null ? [] : readWords(entry.value)), word])
    const payload = { player: playerId, key, value, expected: entry?.version ?? 0 }
    return { does: "call", call, name: "kv.set", payload } as const
  }

  #check(owner: Owner): void {
    const who = textOf(owner)
    const stored = this.#stored.get(who) ?? []
    const has = new Set(stored)
    if (has.size < stored.length)
      throw new Violation("kv", `${who} has a word twice: ${stored.join(" ")}`)
    for (const word of wordsOf(this.#acknowledged, owner)) {
      if (!has.has(word))
        throw new Violation("kv", `${who} has lost word ${word}, which was stored`)
    }
    for (const word of wordsOf(this.#refused, owner)) {
      if (has.has(word)) throw new Violation("kv", `${who} has word ${word}, which was refused`)
    }
  }
}

const textOf = ({ projectId, playerId }: Owner): string => `${projectId}/${playerId}`

const wordsOf = (words: Map<string, Set<number>>, owner: Owner): Set<number> => {
  const who = textOf(owner)
  const known = words.get(who) ?? new Set<number>()
  words.set(who, known)
  return known
}
