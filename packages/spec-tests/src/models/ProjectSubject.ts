import { Mismatch, Unsupported, same } from "../check/Expect.ts"
import type { HttpRequest } from "../trial/HttpProbe.ts"
import type { Trial } from "../trial/Trial.ts"
import type { Answer, Subject } from "./Machine.ts"
import { outcomeText } from "./OutcomeText.ts"
import type { ProjectDeed, ProjectState, ProjectView } from "./ProjectModel.ts"

/** Projects of the account 0, of which it has others. */
export class ProjectSubject implements Subject<ProjectDeed, ProjectState> {
  readonly #trial: Trial
  readonly #ids: Array<string> = []
  /** The last name that was taken. */
  readonly #names: Array<string> = []

  constructor(trial: Trial) {
    this.#trial = trial
  }

  async perform(deed: ProjectDeed): Promise<Answer> {
    switch (deed.kind) {
      case "create":
        return this.#create(deed.name)
      case "rename": {
        // Its own route is a choice of ours, T-26.
        const request = { method: "PUT", path: "/name", body: { name: deed.name } } as const
        const answer = await this.#ask(deed.at, request)
        if (answer === "ok") this.#names[deed.at] = deed.name
        return answer
      }
      case "patch": {
        const current = this.#names[deed.at]
        const names = { rightly: { name: current }, wrongly: { name: `not ${current}` }, not: {} }
        const body = { ...names[deed.named], ...deed.settings }
        return this.#ask(deed.at, { method: "PATCH", path: "", body })
      }
      case "delete":
        return this.#ask(deed.at, { method: "DELETE", path: "" })
      case "steal": {
        const bearer = this.#trial.login(1)
        return this.#ask(deed.at, { method: "DELETE", path: "", bearer })
      }
    }
  }

  /** The account's list, newest first, and each read alone, must say the same. */
  async view(): Promise<ProjectState> {
    const bearer = this.#trial.login(0)
    const list = await this.#trial.send({ method: "GET", path: "/v1/projects", bearer })
    if (!Array.isArray(list.json)) this.#otherwise("GET /v1/projects", list.text)
    const rows: ReadonlyArray<unknown> = Array.isArray(list.json) ? list.json : []
    const listed = new Map(rows.map((row) => [this.#trial.codecs.projectId(row), viewOf(row)]))
    return Promise.all(
      this.#ids.map(async (id) => {
        const read = await this.#trial.send({ method: "GET", path: `/v1/projects/${id}`, bearer })
        const alone = read.status === 404 ? null : viewOf(read.json)
        same("a project in the list, and alone", listed.get(id) ?? null, alone)
        return alone
      })
    )
  }

  async #create(name: string): Promise<Answer> {
    const bearer = this.#trial.login(0)
    const request = this.#trial.codecs.newProject(name)
    const answer = await this.#trial.send({ method: "POST", ...request, bearer })
    const id = this.#trial.codecs.projectId(answer.json)
    if (id === null) {
      throw new Mismatch("a new project", { expected: "an id", actual: answer.text })
    }
    this.#ids.push(id)
    this.#names.push(name)
    return outcomeText(this.#trial, answer)
  }

  async #ask(at: number, { path, ...request }: HttpRequest): Promise<Answer> {
    const asked = { bearer: this.#trial.login(0), ...request }
    const whole = `/v1/projects/${this.#ids[at]}${path}`
    return outcomeText(this.#trial, await this.#trial.send({ ...asked, path: whole }))
  }

  /** How projects are read is our choice; where it is otherwise, nothing was seen of what is not. */
  #otherwise(what: string, actual: string): void {
    this.#trial.chosen("D-13", () => {
      throw new Mismatch(what, { expected: "an array of projects", actual })
    })
    throw new Unsupported("the list of projects is another than D-13 says")
  }
}

const viewOf = (row: unknown): ProjectView => {
  const { name, connectionsPerIpPerMin, vmMemMib }: Readonly<Record<string, unknown>> = Object(row)
  return {
    name: String(name),
    connectionsPerIpPerMin: numberOrNull(connectionsPerIpPerMin),
    vmMemMib: numberOrNull(vmMemMib)
  }
}

const numberOrNull = (value: unknown): number | null => (typeof value === "number" ? value : null)
