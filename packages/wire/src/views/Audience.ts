const WordBits = 32

/** Some of the viewers, by their places. Equal ones are one object: they are compared and used as keys as such. */
export class Audience {
  readonly id: number
  readonly words: Uint32Array

  constructor(id: number, words: Uint32Array) {
    this.id = id
    this.words = words
  }

  has(place: number): boolean {
    return ((this.words[place >>> 5] ?? 0) & (1 << (place & 31))) !== 0
  }
}

/** The audiences of a room's records. */
export class Audiences {
  readonly nobody: Audience
  #byKey = new Map<string, Audience>()
  #nextId = 0
  /** Collects the members of the next audience. */
  #scratch = new Uint32Array(1)

  constructor() {
    this.nobody = this.#known(this.#scratch)
  }

  /** How many are kept, those that no record has any more among them. */
  get size(): number {
    return this.#byKey.size
  }

  /** Begins an audience without members. */
  begin(): void {
    this.#scratch.fill(0)
  }

  /** Begins an audience with the members of another. */
  beginWith({ words }: Audience): void {
    this.begin()
    this.#claim(words.length)
    this.#scratch.set(words)
  }

  /** Puts a viewer into the audience that was begun, or takes it out. */
  put(place: number, isIn: boolean): void {
    const word = place >>> 5
    this.#claim(word + 1)
    const bit = 1 << (place & 31)
    const before = this.#scratch[word] ?? 0
    this.#scratch[word] = isIn ? before | bit : before & ~bit
  }

  /** The audience that was begun. */
  end(): Audience {
    return this.#known(this.#scratch)
  }

  /** Forgets those that nobody has any more. */
  keep(live: Iterable<Audience>): void {
    this.#byKey = new Map([...live, this.nobody].map((each) => [keyOf(each.words), each]))
  }

  #claim(words: number): void {
    if (words <= this.#scratch.length) return
    const grown = new Uint32Array(Math.max(words, 2 * this.#scratch.length))
    grown.set(this.#scratch)
    this.#scratch = grown
  }

  #known(words: Uint32Array): Audience {
    const key = keyOf(words)
    const known = this.#byKey.get(key)
    if (known !== undefined) return known
    const audience = new Audience(this.#nextId, words.slice(0, usedWords(words)))
    this.#nextId += 1
    this.#byKey.set(key, audience)
    return audience
  }
}

const usedWords = (words: Uint32Array): number => {
  let used = words.length
  while (used > 0 && words[used - 1] === 0) used -= 1
  return used
}

/** The words as text, without those at the end that are 0. */
const keyOf = (words: Uint32Array): string => {
  let key = ""
  const used = usedWords(words)
  for (let word = 0; word < used; word += 1) {
    const bits = words[word] ?? 0
    key += String.fromCharCode(bits & 0xffff, bits >>> (WordBits / 2))
  }
  return key
}
