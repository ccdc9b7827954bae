import { projectName } from "../app/Account.ts"
import { addressOf } from "../app/Routes.ts"
import { Link } from "./Link.tsx"
import { Tenant } from "./Tenant.tsx"

/** The head of a page of a project. */
export const PageHead = ({ project, title }: { project: string; title: string }) => (
  <div class="page-head">
    <nav class="trail" aria-label="Where you are">
      <Link to={addressOf({ _tag: "Project", project, page: "rooms" })}>
        <Tenant text={projectName(project)} max={60} />
      </Link>
    </nav>
    <h1>{title}</h1>
  </div>
)
