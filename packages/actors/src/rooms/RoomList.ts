import { deletesAtMs, type Retention, retentionInForce } from "@atrium/domain/rooms/Retention"
import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { IsoText } from "@atrium/domain/shared/IsoText"

/**
 * The rows of a list, from plain text: a line for each room, with five parts between tabs. These are
 * JSON from `roomId` to `slot`, the moment of `lastSeen`, JSON from `clients` to `backfill` (in quarantine
 * with the version behind it), the override of the retention, the type. A long list is made into JSON page by page, so that nobody
 * waits for all of it. Source: D-04, D-07.
 */
export class RoomList {
  readonly #lines: string
  /** The beginning of every row. */
  readonly #start: string
  readonly #declared: ReadonlyMap<string, string | null>
  /** Few types and few overrides make few windows. */
  readonly #windows = new Map<string, Window>()
  #last: Window
  readonly #seen = new IsoText()
  readonly #deleted = new IsoText()

  /** @param declared how long each type that the project has deployed keeps its rooms */
  constructor(
    lines: string,
    of: { readonly projectId: ProjectId; readonly declared: ReadonlyMap<string, string | null> }
  ) {
    this.#lines = lines
    this.#start = `{"project":"${of.projectId}",`
    this.#declared = of.declared
    this.#last = this.#newWindow("\t")
  }

  /** The lines of `RoomLimits.listPage` rows each, to be made into JSON one after another. */
  *pages(): Generator<string, void, undefined> {
    const lines = this.#lines
    let from = 0
    let rows = 0
    for (let end = lines.indexOf("\n"); end !== -1; end = lines.indexOf("\n", end + 1)) {
      if (++rows % RoomLimits.listPage.max !== 0) continue
      yield lines.slice(from, end)
      from = end + 1
    }
    if (lines !== "") yield lines.slice(from)
  }

  /** The rows of a page as JSON, without the brackets of an array. All of it is ASCII. */
  json(page: string): string {
    let text = ""
    for (let from = 0, end = 0; end < page.length; from = end + 1) {
      const seen = page.indexOf("\t", from)
      const clients = page.indexOf("\t", seen + 1)
      const ends = page.indexOf("\t", clients + 1)
      const next = page.indexOf("\n", ends)
      end = next === -1 ? page.length : next
      const lastSeenMs = Number(page.slice(seen + 1, clients))
      const window = this.#window(page.slice(ends + 1, end))
      // The number of a version, not `true` or `false`: the room is in quarantine, and is not swept.
      const isQuarantined = page.charCodeAt(ends - 1) <= nine
      const deletesAt = isQuarantined ? null : deletesAtMs(window.retention, lastSeenMs)
      const deleted = deletesAt === null ? "null" : `"${this.#deleted.of(deletesAt)}"`
      // One string a row, and no string of the line: half of the time of a list was there.
      text +=
        `${from === 0 ? "" : ","}${this.#start}${page.slice(from, seen)},` +
        `"lastSeen":"${this.#seen.of(lastSeenMs)}",${page.slice(clients + 1, ends)},` +
        `${window.json},"deletesAt":${deleted}}`
    }
    return text
  }

  /** @param ends the last two parts of a line */
  #window(ends: string): Window {
    // Most rows are as the row before.
    if (ends === this.#last.ends) return this.#last
    this.#last = this.#windows.get(ends) ?? this.#newWindow(ends)
    return this.#last
  }

  #newWindow(ends: string): Window {
    const [override = "", type = ""] = ends.split("\t")
    const retention = retentionInForce({
      override: override === "" ? null : override,
      declared: this.#declared.get(type) ?? null
    })
    const { retention: inForce, retentionOverride } = retention
    const json = JSON.stringify({ retention: inForce, retentionOverride }).slice(1, -1)
    const window = { ends, retention, json }
    this.#windows.set(ends, window)
    return window
  }
}

const nine = "9".charCodeAt(0)

interface Window {
  /** The parts of a line that it was made of. */
  readonly ends: string
  readonly retention: Retention
  /** Both fields of a row that tell of it. */
  readonly json: string
}
