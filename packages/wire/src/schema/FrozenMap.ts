import { known, UnknownChoice, Whole } from "./UnknownChoice.ts"

/**
 * A map that nobody changes, in order of its entries. Its JSON is a list of pairs. An entry whose key is an
 * unknown choice is in what it holds, but no reader sees it.
 */
export class FrozenMap<K, V> extends Map<K, V> {
  declare readonly [Whole]?: ReadonlyMap<unknown, unknown>

  /** @param whole all entries; nobody else changes it */
  constructor(whole: ReadonlyMap<unknown, unknown>) {
    super()
    let isKnown = true
    for (const [key, value] of whole) {
      if (key instanceof UnknownChoice || value instanceof UnknownChoice) isKnown = false
      // The caller has entries of these types, but for what is not known.
      if (!(key instanceof UnknownChoice)) super.set(key as K, known(value) as V)
    }
    if (!isKnown) Object.defineProperty(this, Whole, { value: whole })
  }

  override set(): never {
    throw new TypeError("the map cannot be changed here")
  }

  override delete(): never {
    return this.set()
  }

  override clear(): never {
    return this.set()
  }

  toJSON(): ReadonlyArray<readonly [K, V]> {
    return [...this]
  }
}
