import type { Project } from "@atrium/domain/projects/ProjectsApi"
import { useSignal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"

import { accountRefused, projects, readAccount } from "../app/Account.ts"
import { go } from "../app/Location.ts"
import { addressOf } from "../app/Routes.ts"
import { Empty, Waiting } from "../parts/Empty.tsx"
import { Fault } from "../parts/Fault.tsx"
import { Link } from "../parts/Link.tsx"
import { Moment } from "../parts/Moment.tsx"
import { Panel } from "../parts/Panel.tsx"
import { Tenant } from "../parts/Tenant.tsx"
import { ask, type Refusal } from "../service/Service.ts"

const pageOf = (project: string): string => addressOf({ _tag: "Project", project, page: "rooms" })

/** Every project of the account. */
export const ProjectsPage = () => {
  const all = projects.value
  return (
    <>
      <div class="page-head">
        <h1>Projects</h1>
        <div class="actions">
          <NewProject />
        </div>
      </div>
      <Panel
        title={
          all === null
            ? "All projects"
            : `${all.length} ${all.length === 1 ? "project" : "projects"}`
        }
        asked={{ method: "GET", path: "/v1/projects", credential: "login" }}
        command={{ words: ["project", "list"] }}
      >
        {accountRefused.value !== null && (
          <Fault refusal={accountRefused.value} again={() => void readAccount()} />
        )}
        {all === null ? (
          accountRefused.value === null && <Waiting />
        ) : all.length === 0 ? (
          <Empty title="No project yet.">
            <p>A deploy makes one. In the folder of your game:</p>
            <p>
              <code>atrium deploy --url {location.origin}</code>
            </p>
          </Empty>
        ) : (
          <ProjectTable rows={all} />
        )}
      </Panel>
    </>
  )
}

const ProjectTable = ({ rows }: { rows: ReadonlyArray<Project> }) => (
  <table>
    <thead>
      <tr>
        <th scope="col">Name</th>
        <th scope="col">Id</th>
        <th scope="col" class="roomy">
          Plan
        </th>
        <th scope="col" class="number">
          Version
        </th>
        <th scope="col" class="wide">
          Site
        </th>
        <th scope="col" class="wide">
          Made
        </th>
      </tr>
    </thead>
    <tbody>
      {rows.map((project) => (
        <tr key={project.id}>
          <td>
            <Link to={pageOf(project.id)}>
              <Tenant text={project.name} max={60} />
            </Link>
          </td>
          <td>
            <code>{project.id}</code>
          </td>
          <td class="roomy">{project.plan}</td>
          <td class="number">{project.currentVersion ?? <span class="faint">none</span>}</td>
          <td class="wide">
            {project.static === null ? (
              <span class="faint">none</span>
            ) : (
              <Tenant text={project.static.label} />
            )}
          </td>
          <td class="wide">
            <Moment at={project.createdAt} />
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)

/** Makes a project, and goes there. */
const NewProject = () => {
  const open = useSignal(false)
  const name = useSignal("")
  const refused = useSignal<Refusal | null>(null)
  const works = useSignal(false)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => input.current?.focus(), [open.value])
  const make = async (): Promise<void> => {
    if (works.value) return
    works.value = true
    const body = { name: name.value }
    const answer = await ask<Project>({ method: "POST", path: "/v1/projects", body })
    works.value = false
    if (answer._tag === "Refused") {
      refused.value = answer
      return
    }
    await readAccount()
    go(pageOf(answer.value.id))
  }
  if (!open.value) {
    return (
      <button type="button" class="quiet" onClick={() => (open.value = true)}>
        New project
      </button>
    )
  }
  return (
    <form
      class="inline"
      onSubmit={(event) => {
        event.preventDefault()
        void make()
      }}
    >
      <input
        aria-label="Name of the project"
        placeholder="Name"
        required
        value={name.value}
        onInput={(event) => (name.value = event.currentTarget.value)}
        ref={input}
      />
      <button disabled={works.value}>Make</button>
      <button
        type="button"
        class="quiet"
        onClick={() => {
          open.value = false
          refused.value = null
        }}
      >
        Cancel
      </button>
      {refused.value !== null && <Fault refusal={refused.value} />}
    </form>
  )
}
