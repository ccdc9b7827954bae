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
  readonly #project: string
  readonly #declared: ReadonlyMap<string, string | null>
  /** Few types and few overrides make few windows. */
  readonly #windows = new Map<string, Window>()
  readonly #seen = new IsoText()
  readonly #deleted = new IsoText()

  /** @param declared how long each type that the project has deployed keeps its rooms */
  constructor(
    lines: string,
    of: { readonly projectId: ProjectId; readonly declared: ReadonlyMap<string, string | null> }
  ) {
    this.#lines = lines
    this.#project = of.projectId
    this.#declared = of.declared
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
    let from = 0
    for (let end = page.indexOf("\n"); end !== -1; end = page.indexOf("\n", from)) {
      text += `${this.#row(page.slice(from, end))},`
      from = end + 1
    }
    return text + this.#row(page.slice(from))
  }

  #row(line: string): string {
    const seenFrom = line.indexOf("\t") + 1
    const seenTo = line.indexOf("\t", seenFrom)
    const overrideFrom = line.indexOf("\t", seenTo + 1) + 1
    const lastSeenMs = Number(line.slice(seenFrom, seenTo))
    const window = this.#window(line.slice(overrideFrom))
    // The number of a version, not `true` or `false`: the room is in quarantine, and is not swept.
    const isQuarantined = line.charCodeAt(overrideFrom - 2) <= nine
    const deletesAt = isQuarantined ? null : deletesAtMs(window.retention, lastSeenMs)
    const deleted = deletesAt === null ? "null" : `"${this.#deleted.of(deletesAt)}"`
    return (
      `{"project":"${this.#project}",${line.slice(0, seenFrom - 1)},` +
      `"lastSeen":"${this.#seen.of(lastSeenMs)}",${line.slice(seenTo + 1, overrideFrom - 1)},` +
      `${window.json},"deletesAt":${deleted}}`
    )
  }

  /** @param ends the last two parts of a line */
  #window(ends: string): Window {
    const known = this.#windows.get(ends)
    if (known !== undefined) return known
    const [override = "", type = ""] = ends.split("\t")
    const retention = retentionInForce({
      override: override === "" ? null : override,
      declared: this.#declared.get(type) ?? null
    })
    const { retention: inForce, retentionOverride } = retention
    const json = JSON.stringify({ retention: inForce, retentionOverride }).slice(1, -1)
    const window = { retention, json }
    this.#windows.set(ends, window)
    return window
  }
}

const nine = "9".charCodeAt(0)

interface Window {
  readonly retention: Retention
  /** Both fields of a row that tell of it. */
  readonly json: string
}
