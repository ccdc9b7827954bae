import type { ProbeOf } from "../../check/Check.ts"
import { same, holds } from "../../check/Expect.ts"
import type { FileRun } from "../../families/Files.ts"
import type { Project } from "../../trial/Project.ts"
import type { Trial } from "../../trial/Trial.ts"
import type { Json } from "../Row.ts"
import { rowOf } from "../Section.ts"
import { done, refused, runnerOf } from "./FileCommands.ts"

/** Keys of the project file that every deploy brings to the service. */
export type SyncedKey = "queues" | "boards" | "origins" | "preRelease"

/** A project whose file declares settings, beside somebody who changes them over HTTP. */
export class SyncedProject {
  readonly project: Project
  readonly #run: Awaited<ReturnType<typeof runnerOf>>
  readonly #trial: Trial

  private constructor(trial: Trial, project: Project, run: Awaited<ReturnType<typeof runnerOf>>) {
    this.#trial = trial
    this.project = project
    this.#run = run
  }

  static async of(trial: Trial): Promise<SyncedProject> {
    const project = await trial.project()
    return new SyncedProject(trial, project, await runnerOf(trial, project))
  }

  deploy(keys: Readonly<Record<string, Json>>): Promise<FileRun> {
    return this.#run("deploy", { project: this.project.id, ...keys })
  }

  async deployed(keys: Readonly<Record<string, Json>>): Promise<void> {
    done(`a deploy with ${JSON.stringify(keys)}`, await this.deploy(keys))
  }

  /** The message with which the settings route refuses a value; null = it takes it. */
  async patch(key: SyncedKey, value: Json): Promise<string | null> {
    const body = { name: this.project.name, [key]: value }
    const answer = await this.project.ask("", { method: "PATCH", body })
    return answer.status === 200 ? null : (this.#trial.codecs.error(answer)?.message ?? "")
  }

  async stored(key: SyncedKey): Promise<unknown> {
    return Object((await this.project.ask("")).json)[key]
  }

  /** The setting in force. Source: D-13. */
  async holds(what: string, key: SyncedKey, value: Json): Promise<void> {
    const stored = await this.stored(key)
    const inOrder = (list: unknown): unknown => (Array.isArray(list) ? list.toSorted() : list)
    this.#trial.chosen("D-13", () => same(what, inOrder(stored), inOrder(value)))
  }
}

interface Values {
  /** What the file declares. */
  readonly declared: Json
  /** The same in another order; absent = the order does not matter to see. */
  readonly reordered?: Json
  /** What somebody sets meanwhile. */
  readonly other: Json
  /** What the file declares to have none. */
  readonly empty: Json
}

/** A declared key is the source of truth on every deploy; a key that is left out changes nothing. */
export const isSynced =
  (key: SyncedKey, { declared, reordered = declared, other, empty }: Values): ProbeOf =>
  () => ({
    title: `every deploy makes ${key} what the file declares, and leaves them when it declares none`,
    timeoutMs: 240_000,
    run: async (trial) => {
      const synced = await SyncedProject.of(trial)
      await synced.deployed({ [key]: declared })
      await synced.holds("after the first deploy", key, declared)
      same("whether they are set over HTTP", await synced.patch(key, other), null)
      await synced.deployed({})
      await synced.holds("after a deploy that declares none", key, other)
      await synced.deployed({ [key]: reordered })
      await synced.holds("after a deploy that declares them again", key, declared)
      await synced.deployed({ [key]: empty })
      await synced.holds("after a deploy that declares none of them", key, empty)
      await synced.deployed({})
      await synced.holds("after it", key, empty)
    }
  })

/** A deploy and the settings route refuse a bad value with the same words, and nothing is set or deployed. */
export const refusedAlike =
  (key: SyncedKey, id: string, naming: (bad: Json) => string): ProbeOf =>
  () => ({
    title: `a deploy refuses bad ${key} with the message of the settings route, as a whole`,
    timeoutMs: 240_000,
    run: async (trial) => {
      const synced = await SyncedProject.of(trial)
      const before = await synced.stored(key)
      for (const bad of rowOf("file", id).bad) {
        const message = await synced.patch(key, bad)
        holds(`${JSON.stringify(bad)} is refused over HTTP`, message !== null, message)
        const ran = await synced.deploy({ [key]: bad })
        refused(`a deploy with ${JSON.stringify(bad)}`, ran, [message ?? "", naming(bad)])
      }
      same(`${key} at the end`, await synced.stored(key), before)
      const record = await synced.project.ask("")
      same("the deployed version", Object(record.json)["currentVersion"], null)
      const [good = null] = rowOf("file", id).good
      await synced.deployed({ [key]: good })
      await synced.holds("after a good one", key, good)
    }
  })
