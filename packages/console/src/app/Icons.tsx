/** Icons of the menu, on a grid of 16. */
const paths = {
  rooms: "M2.5 2.5h4.5V7H2.5zM9 2.5h4.5V7H9zM2.5 9H7v4.5H2.5zM9 9h4.5v4.5H9z",
  hour: "M2 13.5h12M4 11V7.5m4 3.5V4m4 7V6",
  logs: "M3.5 2.5h9v11h-9zM5.5 5.5h5m-5 2.5h5m-5 2.5h3",
  deployments: "M8 13.5v-9M4.5 8 8 4.5 11.5 8M3 2.5h10",
  usage: "M2.5 3.5v10h11M5 5l3 4 2-1.5 3 3.5",
  playground: "M5 3.5v9l7.5-4.5z",
  players: "M8 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM3 13.5c.6-2.6 2.6-4 5-4s4.4 1.4 5 4",
  queues: "M2.5 4h11M2.5 8h8M2.5 12h5",
  boards: "M2.5 13.5v-4h3.5v4zM6 13.5v-9h4v9zM10 13.5v-6h3.5v6z",
  replays: "M2.5 8a5.5 5.5 0 1 1 1.6 3.9M2.5 13v-3h3M6.8 5.6v4.8L10.5 8z",
  keys: "M9.5 9.5a3.5 3.5 0 1 0-3-3L2.5 10.5v3h3v-1.5h1.5v-1.5z",
  settings: "M2.5 4.5h6m3 0h2M2.5 11.5h2m3 0h6M10 3v3M6 10v3",
  account: "M3 13.5c.6-2.6 2.6-4 5-4s4.4 1.4 5 4M8 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z",
  fleet: "M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.1M5 11h.1",
  projects: "M2.5 4.5v8.5h11V5.5H8L6.5 3.5h-4z"
} as const

export type IconName = keyof typeof paths

export const Icon = ({ name }: { name: IconName }) => (
  <svg viewBox="0 0 16 16" aria-hidden="true">
    <path
      d={paths[name]}
      fill="none"
      stroke="currentColor"
      stroke-width="1.4"
      stroke-linecap="round"
      stroke-linejoin="round"
    />
  </svg>
)
