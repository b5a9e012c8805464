package probe

var moreScenarios = []scenario{
	{
		name: "python bug",
		talk: `
user: fix the bug where TimeDelta serialization loses precision for milliseconds
assistant: Let me reproduce it.
tool create {"filename":"reproduce.py"} => created
tool bash {"command":"python reproduce.py"} => 344
tool edit {"path":"src/marshmallow/fields.py","search":"a","replace":"b"} => ok
user: don't change the default of serialization_type, it must stay int
assistant: I chose integer division with rounding over Decimal since Decimal would change the type.
tool bash {"command":"pytest tests/test_fields.py"} => E   AssertionError: assert 344 == 345
user: now add a changelog entry under version 3.19.0`,
		quoting: `
fix the bug where TimeDelta serialization loses precision for milliseconds
don't change the default of serialization_type, it must stay int
src/marshmallow/fields.py
reproduce.py
I chose integer division with rounding over Decimal since Decimal would change the type.
AssertionError: assert 344 == 345
now add a changelog entry under version 3.19.0`,
		telling: `
TimeDelta serialization loses precision for milliseconds; the user wants that bug fixed.
serialization_type must stay int: its default must not be changed.
Edited src/marshmallow/fields.py
Created reproduce.py
Integer division with rounding was chosen over Decimal, which would change the type.
tests/test_fields.py fails with assert 344 == 345
A changelog entry under version 3.19.0 is to be added now`,
		twists: [][2]string{
			{"version 3.19.0", "version 3.18.0"},
			{"don't change the default of serialization_type", "change the default of serialization_type"},
			{"its default must not be changed", "its default must be changed"},
		},
	},
	{
		name: "frontend and backend ports",
		talk: `
user: Set up the dev environment with docker compose. The frontend port is 3000 and the backend port is 8081.
assistant: I'll write the compose file.
tool write {"path":"docker-compose.yml","content":"services"} => ok
user: Use only images with pinned versions. You must not expose the database.
assistant: ok
tool write {"path":"web/vite.config.ts","content":"x"} => ok
user: Change of plan: the backend port is 8085 now.
assistant: Updated. We'll use Caddy instead of nginx because it renews certificates by itself.
tool bash {"command":"docker compose up -d"} => Error response from daemon: pull access denied for acme/web`,
		quoting: `
Set up the dev environment with docker compose.
The frontend port is 3000.
Change of plan: the backend port is 8085 now.
Use only images with pinned versions.
You must not expose the database.
docker-compose.yml
web/vite.config.ts
We'll use Caddy instead of nginx because it renews certificates by itself.
Error response from daemon: pull access denied for acme/web`,
		telling: `
The dev environment is to be set up with docker compose.
Frontend port: 3000.
The backend port was changed from 8081 to 8085.
Only images with pinned versions may be used.
The database must not be exposed.
Wrote docker-compose.yml
Wrote web/vite.config.ts
Caddy was preferred to nginx as it renews certificates by itself; use Caddy instead of nginx.
docker compose up: pull access denied for acme/web`,
		twists: [][2]string{
			{"the backend port is 8085", "the backend port is 8081"},
			{"changed from 8081 to 8085", "changed from 8085 to 8081"},
			{"frontend port is 3000", "frontend port is 3001"},
			{"Frontend port: 3000", "Frontend port: 3001"},
			{"You must not expose the database", "You must expose the database"},
			{"The database must not be exposed", "The database must be exposed"},
		},
	},
	{
		name: "documentation",
		talk: `
user: Please rewrite the installation guide for Windows users. The minimum version is 10.2.0.
assistant: I'll restructure it.
tool write_file {"path":"docs\\install\\windows.md","content":"# Install"} => ok
user: Avoid screenshots, they get outdated. Never mention the beta installer.
assistant: We decided to document winget rather than Chocolatey, since winget ships with Windows.
tool write_file {"path":"docs/install/README.md","content":"x"} => ok
tool bash {"command":"mkdocs build --strict"} => ERROR - Doc file contains a link 'setup.md', but the target is not found
user: add a section about uninstalling, at the end`,
		quoting: `
Please rewrite the installation guide for Windows users.
The minimum version is 10.2.0.
Avoid screenshots, they get outdated.
Never mention the beta installer.
docs\install\windows.md
docs/install/README.md
We decided to document winget rather than Chocolatey, since winget ships with Windows.
ERROR - Doc file contains a link 'setup.md', but the target is not found
add a section about uninstalling, at the end`,
		telling: `
The installation guide for Windows users is being rewritten.
Minimum version: 10.2.0.
No screenshots, because they get outdated.
The beta installer must never be mentioned.
Written: docs/install/windows.md
Written: docs/install/README.md
The guide documents winget instead of Chocolatey because winget ships with Windows; that was decided.
mkdocs build --strict fails: the doc file links 'setup.md' but the target is not found
The user also wants a section about uninstalling at the end`,
		twists: [][2]string{
			{"Never mention the beta installer", "Mention the beta installer"},
			{"must never be mentioned", "must be mentioned"},
			{"minimum version is 10.2.0", "minimum version is 11.2.0"},
			{"Minimum version: 10.2.0", "Minimum version: 11.2.0"},
		},
	},
	{
		name: "French",
		talk: `
user: Peux-tu corriger l'export PDF des factures ? Il faut garder le format A4.
assistant: Je regarde le module.
tool write_file {"path":"factures/export_pdf.py","content":"x"} => ok
user: Il ne faut jamais modifier les factures déjà envoyées.
assistant: On a décidé d'utiliser WeasyPrint au lieu de ReportLab.
tool edit_file {"path":"factures/modele.html","old":"a","new":"b"} => ok
tool bash {"command":"pytest factures"} => OSError: cannot load library 'pango-1.0'
user: ajoute aussi le numéro de TVA FR40303265045 en bas de page`,
		quoting: `
Peux-tu corriger l'export PDF des factures ?
Il faut garder le format A4.
Il ne faut jamais modifier les factures déjà envoyées.
factures/export_pdf.py
factures/modele.html
On a décidé d'utiliser WeasyPrint au lieu de ReportLab.
OSError: cannot load library 'pango-1.0'
ajoute aussi le numéro de TVA FR40303265045 en bas de page`,
		telling: `
Tâche : corriger l'export PDF des factures.
Format A4 à garder.
Ne jamais modifier les factures déjà envoyées.
Fichier écrit : factures/export_pdf.py
Fichier modifié : factures/modele.html
Décision : on a décidé d'utiliser WeasyPrint, pas ReportLab.
Erreur ouverte : cannot load library 'pango-1.0' (OSError)
À faire : ajouter le numéro de TVA FR40303265045 en bas de page`,
		twists: [][2]string{
			{"Il ne faut jamais modifier les factures", "Il faut modifier les factures"},
			{"Ne jamais modifier les factures", "Modifier les factures"},
		},
	},
	{
		name: "security review",
		talk: `
user: Review the token handling in the gateway and fix what you find. The ticket ID is SEC-1182.
assistant: I'll go through the middleware.
tool Edit {"file_path":"/srv/gateway/middleware/auth.go","old_string":"a","new_string":"b"} => ok
user: You must never write tokens to the log. Always compare them in constant time.
assistant: We chose PASETO instead of JWT because it has no algorithm field to confuse.
tool Edit {"file_path":"/srv/gateway/middleware/session.go","old_string":"a","new_string":"b"} => ok
tool bash {"command":"gosec ./..."} => [/srv/gateway/main.go:88] - G114 (CWE-676): Use of net/http serve function that has no support for setting timeouts
 Error: gosec found 1 issue
user: Set the session timeout to 15 minutes.`,
		quoting: `
Review the token handling in the gateway and fix what you find.
The ticket ID is SEC-1182.
You must never write tokens to the log.
Always compare them in constant time.
/srv/gateway/middleware/auth.go
/srv/gateway/middleware/session.go
We chose PASETO instead of JWT because it has no algorithm field to confuse.
Error: gosec found 1 issue
Set the session timeout to 15 minutes.`,
		telling: `
The gateway's token handling is under review, and findings are to be fixed.
Ticket ID SEC-1182.
Tokens must never be written to the log.
They are always compared in constant time.
Changed middleware/auth.go in /srv/gateway: /srv/gateway/middleware/auth.go
Changed gateway/middleware/session.go
PASETO was chosen over JWT, as it has no algorithm field to confuse.
gosec found 1 issue: error still open
Session timeout to be set to 15 minutes`,
		twists: [][2]string{
			{"You must never write tokens to the log", "You must write tokens to the log"},
			{"Tokens must never be written to the log", "Tokens must be written to the log"},
			{"SEC-1182", "SEC-1128"},
			{"timeout to 15 minutes", "timeout to 50 minutes"},
			{"set to 15 minutes", "set to 50 minutes"},
		},
	},
	{
		name: "Russian and Spanish rules",
		talk: `
user: Add a Spanish translation of the checkout page. Никогда не переводи названия продуктов.
assistant: I'll add the locale.
tool write_file {"path":"app/locales/es/checkout.json","content":"{}"} => ok
user: Nunca borres las claves antiguas. Use the endpoint https://api.shop.example/v3/i18n.
assistant: Going with ICU messages rather than plain strings because of plurals.
tool edit_file {"path":"app/i18n/loader.ts","old":"a","new":"b"} => ok
tool bash {"command":"npm run build"} => npm ERR! missing script: build`,
		quoting: `
Add a Spanish translation of the checkout page.
Никогда не переводи названия продуктов.
app/locales/es/checkout.json
Nunca borres las claves antiguas.
Use the endpoint https://api.shop.example/v3/i18n.
app/i18n/loader.ts
Going with ICU messages rather than plain strings because of plurals.
npm ERR! missing script: build`,
		telling: `
The checkout page gets a Spanish translation, to be added.
Названия продуктов никогда не переводи.
Wrote app/locales/es/checkout.json
No borres nunca las claves antiguas.
The endpoint is https://api.shop.example/v3/i18n
Edited app/i18n/loader.ts
ICU messages were picked over plain strings because of plurals.
npm ERR! missing script: build (still open)`,
		twists: [][2]string{
			{"Никогда не переводи названия продуктов", "Переводи названия продуктов"},
			{"Названия продуктов никогда не переводи", "Названия продуктов переводи"},
			{"Nunca borres las claves antiguas", "Borres las claves antiguas"},
			{"https://api.shop.example/v3/i18n", "https://api.shop.example/v2/i18n"},
		},
	},
}
