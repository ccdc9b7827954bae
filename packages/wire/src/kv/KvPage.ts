import { utf8Length } from "../text/Utf8.ts"
import { KvLimits } from "./KvLimits.ts"

/** What is stored under a key. */
export interface KvEntry {
  /** JSON. */
  readonly value: string
  /** Grows with each write of any entry, so that no entry ever has the same again. */
  readonly version: number
}

/** Which entries of a player: those whose keys begin with `prefix` and come after `after`. */
export interface KvQuery {
  readonly prefix: string
  /** Empty = from the first one on. */
  readonly after: string
  /** 1 to `KvLimits.kvPageEntries`. */
  readonly limit: number
}

/** A part of a player's entries, by key. `next` is where the next part goes on; `null` = there is none. */
export interface KvPage<Entry = KvEntry> {
  readonly entries: ReadonlyArray<Entry & { readonly key: string }>
  readonly next: string | null
}

/** The page of entries in memory. It holds at most `KvLimits.kvPageBytes`, but always one entry. */
export const kvPage = <Entry extends KvEntry>(
  all: ReadonlyMap<string, Entry>,
  { prefix, after, limit }: KvQuery
): KvPage<Entry> => {
  const found = [...all]
    .filter(([key]) => key.startsWith(prefix) && byCodePoint(key, after) > 0)
    .sort(([one], [other]) => byCodePoint(one, other))
  const entries: Array<Entry & { readonly key: string }> = []
  let bytes = 0
  for (const [key, entry] of found.slice(0, limit)) {
    bytes += utf8Length(key) + utf8Length(entry.value)
    if (entries.length > 0 && bytes > KvLimits.kvPageBytes.max) break
    entries.push({ ...entry, key })
  }
  return { entries, next: entries.length < found.length ? (entries.at(-1)?.key ?? null) : null }
}

/** The order of the bytes of UTF-8, which is that of `collate "C"`. */
const byCodePoint = (one: string, other: string): number => {
  const [left, right] = [Array.from(one), Array.from(other)]
  for (let at = 0; at < left.length && at < right.length; at++) {
    const distance = (left[at]?.codePointAt(0) ?? 0) - (right[at]?.codePointAt(0) ?? 0)
    if (distance !== 0) return distance
  }
  return left.length - right.length
}
