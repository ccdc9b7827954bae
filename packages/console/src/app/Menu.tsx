import { signal } from "@preact/signals"

import { Fault } from "../parts/Fault.tsx"
import { Link } from "../parts/Link.tsx"
import { Tenant } from "../parts/Tenant.tsx"
import { ask, type Refusal } from "../service/Service.ts"
import { plainText } from "../text/ShownText.ts"
import { me, projectName, projects } from "./Account.ts"
import { Icon, type IconName } from "./Icons.tsx"
import { go, route } from "./Location.ts"
import {
  accountPages,
  accountTitles,
  addressOf,
  type ProjectPage,
  projectPages,
  pageTitles,
  type Route
} from "./Routes.ts"

/** The mark of the product leads to the first page. */
export const Mark = () => (
  <Link to={addressOf({ _tag: "Projects" })} class="mark">
    <svg viewBox="0 0 16 16" aria-hidden="true">
      <rect width="16" height="16" rx="4" fill="var(--main)" />
      <path d="M4 12V7a4 4 0 0 1 8 0v5" fill="none" stroke="var(--on-main)" stroke-width="2" />
    </svg>
    Atrium
    <span class="tag">Console</span>
  </Link>
)

/** The project of a page, and the entry of the menu that the page belongs to. */
const placeOf = (shown: Route) => {
  if (shown._tag === "Project") return shown
  return "room" in shown
    ? ({ project: shown.project, page: "rooms" } as const)
    : ({ project: null, page: "rooms" } as const)
}

/** The menu at the side. */
export const Menu = ({ open }: { open: boolean }) => {
  const shown = route.value
  const { project, page } = placeOf(shown)
  return (
    <nav id="menu" class={open ? "side open" : "side"} aria-label="Console">
      <Mark />
      {project !== null && <Switch project={project} page={page} />}
      {project !== null && (
        <ul class="menu">
          {projectPages.map((name) => (
            <Entry
              key={name}
              to={{ _tag: "Project", project, page: name }}
              icon={name}
              title={pageTitles[name]}
              current={name === page}
            />
          ))}
        </ul>
      )}
      <ul class="menu menu-end">
        <li class="menu-title">Account</li>
        <Entry
          to={{ _tag: "Projects" }}
          icon="projects"
          title="Projects"
          current={shown._tag === "Projects"}
        />
        {accountPages.map((name) => (
          <Entry
            key={name}
            to={{ _tag: "Account", page: name }}
            icon={name}
            title={accountTitles[name]}
            current={shown._tag === "Account" && shown.page === name}
          />
        ))}
      </ul>
      <div class="side-end">
        <ul class="menu">
          <li>
            <a href="/docs" target="_blank" rel="noreferrer">
              <Icon name="logs" />
              HTTP API
            </a>
          </li>
        </ul>
        {logoutRefused.value !== null && <Fault refusal={logoutRefused.value} />}
        <div class="who">
          <Tenant text={me.value?.name ?? ""} max={60} inControl />
          <button type="button" class="plain" onClick={() => void logOut()}>
            Log out
          </button>
        </div>
      </div>
    </nav>
  )
}

interface EntryProps {
  readonly to: Exclude<Route, { readonly _tag: "Unknown" }>
  readonly icon: IconName
  readonly title: string
  readonly current: boolean
}

const Entry = ({ to, icon, title, current }: EntryProps) => (
  <li>
    <Link to={addressOf(to)} current={current}>
      <Icon name={icon} />
      {title}
    </Link>
  </li>
)

/** More projects than anybody finds in a list: the page of all projects has them. */
const switchMax = 500

/** Leads to the same page of another project. */
const Switch = ({ project, page }: { project: string; page: ProjectPage }) => {
  const all = (projects.value ?? []).slice(0, switchMax)
  const known = all.some(({ id }) => id === project)
  return (
    <div class="switch">
      <select
        aria-label="Project"
        value={project}
        onChange={(event) =>
          go(addressOf({ _tag: "Project", project: event.currentTarget.value, page }))
        }
      >
        {!known && <option value={project}>{plainText(projectName(project), 60)}</option>}
        {all.map(({ id, name }) => (
          <option key={id} value={id}>
            {plainText(name, 60)}
          </option>
        ))}
      </select>
    </div>
  )
}

const logoutRefused = signal<Refusal | null>(null)

/** A session that has ended already is logged out, too. */
const logOut = async (): Promise<void> => {
  const answer = await ask({ method: "POST", path: "/v1/login/logout" })
  logoutRefused.value = answer._tag === "Refused" && answer.status !== 401 ? answer : null
  if (logoutRefused.value === null) location.assign("/login?next=%2Fconsole")
}
