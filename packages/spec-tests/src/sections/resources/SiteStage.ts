import { randomBytes } from "node:crypto"
import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"

import { holds, same } from "../../check/Expect.ts"
import type { CliRun } from "../../trial/CliProbe.ts"
import type { Project } from "../../trial/Project.ts"
import { sitePage } from "../../trial/SitePage.ts"
import type { Trial } from "../../trial/Trial.ts"
import type { Json } from "../Row.ts"
import { done } from "./FileCommands.ts"

/** A label that no other run has. */
export const uniqueLabel = (): string => `conformance-${randomBytes(6).toString("hex")}`

/** Files by their paths. */
export type Files = Readonly<Record<string, string>>

/** A project with a folder whose site is deployed. */
export class SiteStage {
  readonly project: Project
  readonly folder: string
  readonly #trial: Trial

  private constructor(trial: Trial, project: Project, folder: string) {
    this.#trial = trial
    this.project = project
    this.folder = folder
  }

  /** @param rooms whether the folder has room code, too */
  static async of(trial: Trial, { rooms = false } = {}): Promise<SiteStage> {
    const folder = rooms ? await trial.cli.project() : await trial.cli.folder()
    return new SiteStage(trial, await trial.project(), folder)
  }

  async write(files: Files): Promise<void> {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(this.folder, name)), { recursive: true })
      await writeFile(join(this.folder, name), text)
    }
  }

  /** The project file, with the id of the project. */
  async declares(keys: Readonly<Record<string, Json>>): Promise<void> {
    const file = { project: this.project.id, ...keys }
    await this.write({ "service.json": JSON.stringify(file) })
  }

  deploy(...args: ReadonlyArray<string>): Promise<CliRun> {
    return this.#trial.cli.runLoggedIn(["deploy", ...args], { folder: this.folder })
  }

  async deployed(...args: ReadonlyArray<string>): Promise<void> {
    done(`deploy ${args.join(" ")}`, await this.deploy(...args))
  }

  /** The project as it is now. Source: D-13. */
  async record(): Promise<Readonly<Record<string, unknown>>> {
    return Object((await this.project.ask("")).json)
  }

  /** Where the site is served; `null` = the project has none. Source: D-13. */
  async url(): Promise<URL | null> {
    const { static: site } = await this.record()
    const { url } = Object(site)
    return typeof url === "string" ? new URL(url) : null
  }

  /** Each of these files is served as it is. */
  async serves(what: string, files: Files): Promise<void> {
    for (const [path, text] of Object.entries(files)) {
      const page = await this.#at(path)
      same(`${what}: what ${path} is`, [page.status, page.text], [200, text])
    }
  }

  /** None of these files is served. */
  async hides(what: string, files: Files): Promise<void> {
    for (const [path, text] of Object.entries(files)) {
      const page = await this.#at(path)
      holds(`${what}: ${path} is not there`, page.status !== 200, page.status)
      holds(`${what}: ${path} is not shown`, !page.text.includes(text), page.text.slice(0, 300))
    }
  }

  async #at(path: string) {
    const url = await this.url()
    holds("the project has the address of a site", url !== null, url)
    const address = new URL(path.split("/").map(encodeURIComponent).join("/"), url ?? undefined)
    return await sitePage(String(address), this.#trial.signal)
  }
}
