import { type Signal, useSignal } from "@preact/signals"
import type { ComponentType } from "preact"
import { useEffect } from "preact/hooks"

import { Empty, Waiting } from "../parts/Empty.tsx"
import { Guarded } from "../parts/Guarded.tsx"
import { Link } from "../parts/Link.tsx"
import { ProjectsPage } from "../projects/ProjectsPage.tsx"
import { addressOf, type ProjectPage, type Route } from "./Routes.ts"
import { pageFailed } from "./Skew.tsx"

interface Loading<Props> {
  readonly page: ComponentType<Props> | null
  /** Why the script could not be loaded. */
  readonly error?: unknown
}

/** A page whose script loads when it is first wanted. */
const lazy = <Props extends object>(load: () => Promise<ComponentType<Props>>) => {
  let loaded: ComponentType<Props> | null = null
  return (props: Props) => {
    const found: Signal<Loading<Props>> = useSignal({ page: loaded })
    useEffect(() => {
      if (loaded !== null) return
      load().then(
        (page) => {
          loaded = page
          found.value = { page }
        },
        (error: unknown) => (found.value = { page: null, error })
      )
    }, [])
    const { page: Shown, error } = found.value
    // The page shows it as any other failure, with a way to try again.
    if (error !== undefined) throw error
    return Shown === null ? <Waiting /> : <Shown {...props} />
  }
}

const HourPage = lazy(async () => (await import("../hour/HourPage.tsx")).HourPage)
const AccountPage = lazy(async () => (await import("../account/AccountPage.tsx")).AccountPage)
const FleetPage = lazy(async () => (await import("../fleet/FleetPage.tsx")).FleetPage)
const RoomPage = lazy(async () => (await import("../room/RoomPage.tsx")).RoomPage)
const SavesPage = lazy(async () => (await import("../saves/SavesPage.tsx")).SavesPage)
const RoomsPage = lazy(async () => (await import("../rooms/RoomsPage.tsx")).RoomsPage)

const projectPages = {
  rooms: RoomsPage,
  hour: HourPage,
  deployments: lazy(
    async () => (await import("../deployments/DeploymentsPage.tsx")).DeploymentsPage
  ),
  logs: lazy(async () => (await import("../logs/LogsPage.tsx")).LogsPage),
  usage: lazy(async () => (await import("../usage/UsagePage.tsx")).UsagePage),
  playground: lazy(async () => (await import("../playground/PlaygroundPage.tsx")).PlaygroundPage),
  players: lazy(async () => (await import("../players/PlayersPage.tsx")).PlayersPage),
  queues: lazy(async () => (await import("../queues/QueuesPage.tsx")).QueuesPage),
  boards: lazy(async () => (await import("../boards/BoardsPage.tsx")).BoardsPage),
  replays: lazy(async () => (await import("../replay/ReplaysPage.tsx")).ReplaysPage),
  keys: lazy(async () => (await import("../keys/KeysPage.tsx")).KeysPage),
  settings: lazy(async () => (await import("../settings/SettingsPage.tsx")).SettingsPage)
} satisfies Record<ProjectPage, ComponentType<{ project: string }>>

/** The page of an address. A page that throws shows its error, and the menu stays usable. */
export const Page = ({ route }: { route: Route }) => (
  <Guarded key={keyOf(route)} onFault={pageFailed}>
    <Chosen route={route} />
  </Guarded>
)

/** A page of another project, or of another room, is another page. */
const keyOf = (route: Route): string => (route._tag === "Unknown" ? "" : addressOf(route))

const Chosen = ({ route }: { route: Route }) => {
  switch (route._tag) {
    case "Projects":
      return <ProjectsPage />
    case "Account":
      return route.page === "fleet" ? <FleetPage /> : <AccountPage />
    case "Project": {
      const Shown = projectPages[route.page]
      return <Shown project={route.project} />
    }
    case "Room":
      return <RoomPage project={route.project} room={route.room} />
    case "Saves":
      return <SavesPage project={route.project} room={route.room} />
    case "Unknown":
      return <NotThere />
  }
}

const NotThere = () => (
  <div class="panel">
    <Empty title="There is no such page.">
      <p>
        The address leads nowhere. <Link to={addressOf({ _tag: "Projects" })}>Your projects</Link>
      </p>
    </Empty>
  </div>
)
