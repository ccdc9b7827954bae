import type { HttpAnswer } from "./HttpProbe.ts"

/** A shorter secret is found as a whole; of a longer one, a part from its beginning is a leak, too. */
const headChars = 12
const knownMax = 100_000
const mask = "…"

/** Fields whose text is a secret wherever it stands. */
const secretField = /secret|token|password|credential|resume|cookie/i

/** Secrets that a run knows, so that no report shows them. */
export class Secrets {
  readonly #byHead = new Map<string, Set<string>>()
  readonly #short = new Set<string>()
  #known = 0

  /** Remembers a secret, also as it stands in JSON and in an address. */
  add(secret: string): void {
    const forms = [
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(wellFormed(secret))
    ]
    for (const form of new Set(forms)) {
      if (form === "" || this.#known >= knownMax) continue
      this.#known++
      if (form.length < headChars) this.#short.add(form)
      else this.#headed(form.slice(0, headChars)).add(form)
    }
  }

  /** The same, of what may be too short to be one: a credential that a check made up. */
  addLong(secret: string): void {
    if (secret.length >= headChars) this.add(secret)
  }

  /** Remembers what an answer gave out. */
  learn({ json }: Pick<HttpAnswer, "json">): void {
    for (const [field, value] of fieldsOf(json, depthMax)) {
      if (secretField.test(field)) this.addLong(value)
    }
  }

  /** The text without what is known to be secret, or has the form of it. */
  masked(text: string): string {
    let shown = this.#withoutKnown(text)
    for (const secret of this.#short) shown = shown.replaceAll(secret, mask)
    return maskedForms(shown)
  }

  #headed(head: string): Set<string> {
    const found = this.#byHead.get(head) ?? new Set()
    this.#byHead.set(head, found)
    return found
  }

  #withoutKnown(text: string): string {
    if (this.#byHead.size === 0) return text
    let shown = ""
    let from = 0
    for (let at = 0; at + headChars <= text.length;) {
      const known = this.#byHead.get(text.slice(at, at + headChars))
      if (known === undefined) at++
      else {
        shown += text.slice(from, at) + mask
        at += Math.max(...[...known].map((secret) => commonChars(secret, text, at)))
        from = at
      }
    }
    return shown + text.slice(from)
  }
}

const depthMax = 6

const fieldsOf = (json: unknown, depth: number): ReadonlyArray<readonly [string, string]> => {
  if (typeof json !== "object" || json === null || depth === 0) return []
  const entries = Object.entries(json)
  if (entries.length > 1000) return []
  return entries.flatMap(([field, value]) =>
    typeof value === "string" ? [[field, value] as const] : fieldsOf(value, depth - 1)
  )
}

const commonChars = (secret: string, text: string, at: number): number => {
  let chars = 0
  while (chars < secret.length && secret[chars] === text[at + chars]) chars++
  return chars
}

const wellFormed = (text: string): string => text.toWellFormed()

/** Secrets are 43 characters after a prefix, tokens have three parts. */
const maskedForms = (text: string): string =>
  text
    .replace(/\b([a-z]{2,4}_)?[A-Za-z0-9_-]{43}\b/g, "$1…")
    .replace(/\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*/g, "eyJ…")
