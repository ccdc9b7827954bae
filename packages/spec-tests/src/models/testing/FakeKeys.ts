import type { KeyDeed, KeyView, Scope } from "../KeyModel.ts"
import type { Answer, Subject } from "../Machine.ts"

/** Ways to get keys wrong. */
export type KeyFault =
  | "none"
  | "revoke deletes the row"
  | "a revoked key still works"
  | "write does not imply read"
  | "read may write"
  | "the list is in another order"
  | "another project's answer says so"
  | "a key revokes itself"
  | "the scope is looked at first"
  | "a use is not kept"
  | "a second revocation takes it back"
  | "the third key shares the scopes of the first"

interface Row {
  readonly label: string
  scopes: Array<string>
  revoked: boolean
  used: boolean
}

const writes = new Set(["patch", "delete", "restore"])

/** Keys as somebody might write them, in memory, with one fault. */
export class FakeKeys implements Subject<KeyDeed, ReadonlyArray<KeyView>> {
  readonly #fault: KeyFault
  readonly #rows: Array<Row> = []

  constructor(fault: KeyFault) {
    this.#fault = fault
  }

  async perform(deed: KeyDeed): Promise<Answer> {
    if (deed.kind === "mint") return this.#mint(deed.label, deed.scopes)
    const at = this.#rows.findIndex(({ label }) => label === deed.label)
    const row = this.#rows[at]
    if (row === undefined) return "401 E_UNAUTHENTICATED"
    if (deed.kind === "steal") return "404"
    if (deed.kind === "use") return this.#use(row, deed)
    if (deed.kind === "manage") {
      if (this.#fault === "a key revokes itself" && deed.route === "revoke itself") {
        row.revoked = true
      }
      return "401 E_UNAUTHENTICATED"
    }
    if (this.#fault === "revoke deletes the row") this.#rows.splice(at, 1)
    row.revoked = !(row.revoked && this.#fault === "a second revocation takes it back")
    return "ok"
  }

  async view(): Promise<ReadonlyArray<KeyView>> {
    const rows = this.#rows.map((row) => ({ ...row }))
    return this.#fault === "the list is in another order" ? rows.toReversed() : rows
  }

  #mint(label: string, scopes: ReadonlyArray<Scope>): Answer {
    const shared = this.#fault === "the third key shares the scopes of the first"
    const first = this.#rows.length === 2 && shared ? this.#rows[0] : undefined
    this.#rows.push({ label, scopes: first?.scopes ?? [...scopes], revoked: false, used: false })
    return "ok"
  }

  #use(row: Row, { route, place }: Extract<KeyDeed, { readonly kind: "use" }>): Answer {
    if (row.revoked && this.#fault !== "a revoked key still works") return "401 E_UNAUTHENTICATED"
    const isWrite = writes.has(route)
    const mayWrite = row.scopes.includes("rooms:write") || this.#fault === "read may write"
    const reads = row.scopes.includes("rooms:read")
    const mayRead = reads || (mayWrite && this.#fault !== "write does not imply read")
    const may = isWrite ? mayWrite : mayRead
    if (!may && this.#fault === "the scope is looked at first") return "403 E_SCOPE"
    if (place === "elsewhere" && this.#fault === "another project's answer says so") {
      return "403 E_FORBIDDEN"
    }
    if (place !== "own") return "404 E_NOT_FOUND"
    if (!may) return "403 E_SCOPE"
    if (this.#fault !== "a use is not kept") row.used = true
    return route === "list" ? "ok" : "404 E_ROOM_NOT_FOUND"
  }
}
