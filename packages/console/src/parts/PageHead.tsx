import type { ComponentChildren } from "preact"

import { projectName } from "../app/Account.ts"
import { addressOf } from "../app/Routes.ts"
import { Link } from "./Link.tsx"
import { Tenant } from "./Tenant.tsx"

interface Props {
  readonly project: string
  readonly title: string
  /** Pages between the project and this one. */
  readonly trail?: ComponentChildren
  /** Stands beside the title. */
  readonly mark?: ComponentChildren
}

/** The head of a page of a project. */
export const PageHead = ({ project, title, trail, mark }: Props) => (
  <div class="page-head">
    <nav class="trail" aria-label="Where you are">
      <Link to={addressOf({ _tag: "Project", project, page: "rooms" })}>
        <Tenant text={projectName(project)} max={60} inControl />
      </Link>
      {trail !== undefined && <> / {trail}</>}
    </nav>
    <h1>
      <Tenant text={title} max={128} />
    </h1>
    {mark}
  </div>
)
