import type { ReactNode } from "react";

export const metadata = { title: "Chat without personal data" };

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  );
}
