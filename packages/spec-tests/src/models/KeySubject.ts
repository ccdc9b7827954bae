import { holds, Mismatch, same } from "../check/Expect.ts"
import type { HttpAnswer, HttpRequest } from "../trial/HttpProbe.ts"
import type { MintedKey, Project } from "../trial/Project.ts"
import type { Trial } from "../trial/Trial.ts"
import type { KeyDeed, KeyView } from "./KeyModel.ts"
import type { Answer, Subject } from "./Machine.ts"
import { outcomeText } from "./OutcomeText.ts"

/** How long a revocation may take to hold everywhere. Source: D-19. */
export const revocationHoldsAfterMs = 1000

const noProject = "p_0000000000000000"
const noRoom = "no-such-room"

type Use = Extract<KeyDeed, { readonly kind: "use" }>
type Manage = Extract<KeyDeed, { readonly kind: "manage" }>

/** The keys of a new project. */
export class KeySubject implements Subject<KeyDeed, ReadonlyArray<KeyView>> {
  readonly #trial: Trial
  readonly #project: Project
  readonly #strangers: Project
  readonly #keys = new Map<string, MintedKey>()
  readonly #revokedMs = new Map<string, number>()

  private constructor(trial: Trial, projects: { readonly own: Project; readonly other: Project }) {
    this.#trial = trial
    this.#project = projects.own
    this.#strangers = projects.other
  }

  static async start(trial: Trial): Promise<KeySubject> {
    const [own, other] = await Promise.all([trial.project(), trial.project(1)])
    return new KeySubject(trial, { own, other })
  }

  async perform(deed: KeyDeed): Promise<Answer> {
    switch (deed.kind) {
      case "mint":
        return this.#mint(deed.label, deed.scopes)
      case "use":
        return this.#use(deed)
      case "manage":
        return outcomeText(this.#trial, await this.#manage(deed))
      case "revoke": {
        const path = `/keys/${this.#keyOf(deed.label).keyId}`
        const answer = await this.#project.ask(path, { method: "DELETE" })
        if (!this.#revokedMs.has(deed.label)) this.#revokedMs.set(deed.label, performance.now())
        return outcomeText(this.#trial, answer)
      }
      case "steal": {
        const path = `/keys/${this.#keyOf(deed.label).keyId}`
        const bearer = this.#trial.login(1)
        const through = deed.by === "this" ? this.#project : this.#strangers
        return String((await through.ask(path, { method: "DELETE", bearer })).status)
      }
    }
  }

  /** The listing by age; it must be in order, and without any secret. */
  async view(): Promise<ReadonlyArray<KeyView>> {
    const listing = await this.#project.ask("/keys")
    if (!Array.isArray(listing.json)) {
      throw new Mismatch("the list of keys", { expected: "an array", actual: listing.text })
    }
    for (const { secret } of this.#keys.values()) {
      holds("no secret in the listing", !listing.text.includes(secret.slice(-43)), "a secret")
    }
    const rows = listing.json.map((row: unknown) => this.#viewOf(row))
    const age = (label: string): number => [...this.#keys.keys()].indexOf(label)
    const byAge = rows.toSorted((one, other) => age(one.label) - age(other.label))
    const labelsOf = (views: ReadonlyArray<KeyView>) => views.map(({ label }) => label)
    this.#trial.chosen("D-04", () =>
      same("the order of the listing", labelsOf(rows), labelsOf(byAge.toReversed()))
    )
    return byAge
  }

  #viewOf(row: unknown): KeyView {
    const { label, scopes, lastUsed }: Readonly<Record<string, unknown>> = Object(row)
    return {
      label: String(label),
      scopes: Array.isArray(scopes) ? scopes.map(String).toSorted() : [],
      revoked: this.#trial.codecs.revokedAt(row) !== null,
      used: typeof lastUsed === "string"
    }
  }

  async #mint(label: string, scopes: ReadonlyArray<string>): Promise<Answer> {
    const body = { label, scopes }
    const answer = await this.#project.ask("/keys", { method: "POST", body })
    const minted = this.#trial.codecs.minted(answer.json)
    if (minted !== null) {
      for (const { secret } of this.#keys.values()) {
        holds("no secret is given twice", secret !== minted.secret, "the same secret")
      }
      this.#keys.set(label, minted)
    }
    return outcomeText(this.#trial, answer)
  }

  /** A revocation that was just answered may still be on its way. */
  async #use(deed: Use): Promise<Answer> {
    // Of when it is sent: one that is revoked while the answer comes was used, and is not asked again.
    const revokedMs = this.#revokedMs.get(deed.label)
    const answer = outcomeText(this.#trial, await this.#send(deed))
    if (revokedMs === undefined || answer === "401 E_UNAUTHENTICATED") return answer
    if (performance.now() > revokedMs + revocationHoldsAfterMs) return answer
    await new Promise((resolve) => setTimeout(resolve, 50))
    return this.#use(deed)
  }

  #send({ label, route, place }: Use): Promise<HttpAnswer> {
    const ids = { own: this.#project.id, elsewhere: this.#strangers.id, nowhere: noProject }
    const base = `/v1/projects/${ids[place]}/rooms`
    const bearer = this.#keyOf(label).secret
    const saveId = "sv_0000000000000000"
    const requests: Readonly<Record<Use["route"], HttpRequest>> = {
      list: { method: "GET", path: base },
      read: { method: "GET", path: `${base}/${noRoom}` },
      saves: { method: "GET", path: `${base}/${noRoom}/saves` },
      patch: { method: "PATCH", path: `${base}/${noRoom}`, body: { retention: "1h" } },
      delete: { method: "DELETE", path: `${base}/${noRoom}` },
      restore: {
        method: "POST",
        path: `${base}/${noRoom}/restore`,
        body: this.#trial.codecs.restoreBody(saveId)
      }
    }
    return this.#trial.send({ ...requests[route], bearer })
  }

  #manage({ label, route }: Manage): Promise<HttpAnswer> {
    const { secret: bearer, keyId } = this.#keyOf(label)
    switch (route) {
      case "mint": {
        const body = { label: "by a key", scopes: ["rooms:read"] }
        return this.#project.ask("/keys", { method: "POST", body, bearer })
      }
      case "list":
        return this.#project.ask("/keys", { bearer })
      case "revoke itself":
        return this.#project.ask(`/keys/${keyId}`, { method: "DELETE", bearer })
    }
  }

  #keyOf(label: string): MintedKey {
    const key = this.#keys.get(label)
    if (key === undefined) {
      throw new Mismatch(`the mint of ${label}`, { expected: "a secret", actual: "none" })
    }
    return key
  }
}
