package probe

import "strings"

// The word lists are sets of folded forms; those named …Stems hold what stem returns. They are small on purpose: a
// word that is missing makes a comparison a little stricter or more lenient, never wrong by itself.

type set map[string]struct{}

func words(lists ...string) set {
	s := set{}
	for _, l := range lists {
		for _, w := range strings.Fields(l) {
			s[w] = struct{}{}
		}
	}
	return s
}

func (s set) has(w string) bool { _, ok := s[w]; return ok }

// stopWords carry no fact: they weigh nothing unless an expected text has no other words.
var stopWords = words(
	`a an the this that these those it its it's i i'm i'd i'll i've me my mine myself we we're we'll we've we'd our ours
	us you you're you'll your yours he she his her him they them their theirs one ones be is am are was were been being
	do does did done doing have has had having will would shall should can could may might must to of in on at by for
	with from as into onto about over under up out off than then there here so such and or but if when while where which
	who whom whose what how why also just very too really quite please ok okay yes yeah hey hi hello hmm hm thanks thank let
	let's lets get got getting want wants wanted like some any each per via vs etc eg ie now well still yet again only
	because since although though however whether ever even else both either more most much many few own same unless until that's
	there's what's who's am pm s t d ll re ve m already rather instead`,
	`no not nor never none neither cannot don't doesn't didn't isn't aren't wasn't weren't won't wouldn't shouldn't
	can't couldn't mustn't mayn't haven't hasn't hadn't ain't dont doesnt didnt isnt wont cant shouldnt avoid avoiding`,
	`der die das den dem des ein eine einen einem einer und oder aber ist sind war wird werden zu im am auf fur von mit
	bei es wir ihr sie er ich du nicht kein keine keinen keiner keinem nie niemals ohne bitte dass als auch nur`,
	`le la les un une des du de et ou est sont au aux en dans sur pour par avec ne pas jamais sans ce cette ces il elle
	nous vous ils je tu que qui plus se sa son ses`,
	`el los las una unos unas y o del al en con por para no nunca sin que se su sus lo es son esta este estos mas`,
	`и в во на с со к ко по за из от до не ни но а или что это как для никогда нельзя без же бы ли у о об мы вы он она
	они я ты`,
)

// lightWords are the verbs of any request; they weigh half.
var lightStems = words(`us mak add need try work look go put see tak giv run new chang updat thing way file`)

// negators turn the meaning of their clause; lexicalNegators do it too, and undo a negator that stands before them
// ("do not avoid"). contrast words negate only what follows them.
var (
	negators = words(`not never no nor neither none cannot don't doesn't didn't isn't aren't wasn't weren't won't wouldn't
		shouldn't can't couldn't mustn't haven't hasn't hadn't ain't dont doesnt didnt isnt arent wasnt wont wouldnt
		shouldnt cant couldnt nobody nothing nowhere unable`,
		`nicht kein keine keinen keiner keinem keines nie niemals keinesfalls`, `pas jamais aucun aucune`,
		`nunca jamas tampoco ningun ninguna`, `nao`, `non mai nessun`, `не никогда нельзя ни нет`)
	lexicalNegators = words(`avoid avoids avoiding avoided forbid forbids forbidden prohibit prohibits prohibited rejected
		rejecting disallow disallows disallowed ban banned refrain abandoned stop stopped verboten untersagt interdit
		prohibido запрещено запрещается`)
	withoutWords = words(`without ohne sans sin без`)
	auxiliaries  = words(`do does did is are was were be been being am will would shall should must can could may might
		has have had to it's that's i'm we're you're they're let's please and but also so or`)
	notCancelled = words(`only just forget hesitate necessarily merely`)
)

// A restrictive word ("only") says no to everything else; an exceptive one ("unless") takes part of a rule back; a
// weakening one makes a rule a suggestion.
var (
	restrictive = words(`only solely exclusively require requires required requiring nur ausschliesslich ausschließlich
		seulement uniquement solamente unicamente solo только`)
	exceptive = words(`unless without until before except excluding otherwise but ohne sans sin sauf salvo без кроме
		außer ausser bis`)
	weakening = words(`sometimes usually optionally occasionally preferably possibly maybe perhaps rarely often ideally
		normally generally optional`)
)

// breakers begin a clause of their own; restarters do so after a comma, where other words go on with a list.
var (
	breakers = words(`but however because although though while whereas since when whenever if where which that who then
		after before unless until so except aber weil wenn mais parce pero porque если но потому`)
	restarters = words(`use using used keep do we i it they he she you instead just only always never please rather
		prefer make let let's ensure put run go stick as and-then not don't avoid is are was were now nur sondern use
		utilise usa verwende benutze add`)
)

// setAside and comparing begin what is set against the rest.
var (
	setAside  = words(`statt anstatt anstelle вместо`)
	comparing = map[string]bool{"instead of": true, "rather than": true, "opposed to": true, "place of": true, "lieu de": true,
		"lugar de": true, "vez de": true, "invece di": true}
)

// contrastEnds lead back from what is set aside to the whole: "cursors rather than offsets for the list".
var contrastEnds = words(`for in on at as since by pour dans fur bei para en для в`)

// choiceVerbs take what was chosen as their object; choiceParticiples have it as their subject.
var (
	choiceStems       = words(`us`)
	choiceParticiples = words(`chosen used selected picked adopted preferred`)
	goForms           = words(`go goes going went`)
	beForms           = words(`is was are were be been being`)
	switchStems       = words(`switch migrat mov chang renam upgrad downgrad port rais lower bump increas decreas reduc extend swap turn transform
		shift convert transit`)
)

// writeStems say of a file that it was changed.
var writeStems = words(`writ chang creat modify modifi add remov renam mov replac`)

// labels name a value that follows them; they weigh little beside it.
var labelStems = words(`port version id url uri host address branch limit timeout siz count max min threshold number line
	pag level cod status key user ticket issu pr reserv flight order account depth retri tag commit region zon nam`)

var synonyms = map[string]string{
	"choos": "us", "chos": "us", "chosen": "us", "adopt": "us", "pick": "us", "select": "us", "opt": "us", "utiliz": "us",
	"prefer": "us", "decid": "us", "settl": "us", "employ": "us", "postgr": "postgresql", "postgres": "postgresql",
	"k8s": "kubernet", "repo": "repository", "dir": "directory", "config": "configur", "configura": "configur",
	"configurat": "configur", "auth": "authenticat", "db": "databas", "env": "environ", "doc": "documentat",
	"func": "function", "arg": "argu", "param": "parameter", "err": "error", "impl": "implement", "msg": "messag",
	"folder": "directory", "delet": "remov", "eras": "remov", "fixed": "fix", "repair": "fix", "creat": "creat",
	"modify": "chang", "alter": "chang", "edit": "chang", "updat": "chang", "revis": "chang", "adjust": "chang",
	"introduc": "add", "resolv": "fix", "verify": "check", "wrote": "writ", "written": "writ",
	"rewrit": "writ", "ran": "run", "built": "build", "require": "requir", "need": "requir", "bug": "bug",
	"fail": "fail", "failur": "fail", "asynchronou": "async", "specificat": "spec", "minimum": "min", "maximum": "max",
}

func synonym(w string) string {
	if s, ok := synonyms[w]; ok {
		return s
	}
	return w
}

// antonyms hold, per stem, those that say the opposite.
var antonyms = map[string][]string{}

func init() {
	for _, pair := range [][2]string{
		{"enable", "disable"}, {"allow", "deny"}, {"allow", "forbid"}, {"allow", "block"}, {"permit", "deny"},
		{"add", "remove"}, {"include", "exclude"}, {"increase", "decrease"}, {"raise", "lower"}, {"accept", "reject"},
		{"start", "stop"}, {"public", "private"}, {"before", "after"}, {"true", "false"}, {"show", "hide"},
		{"lock", "unlock"}, {"max", "min"}, {"encrypt", "decrypt"}, {"keep", "remove"}, {"keep", "drop"},
		{"create", "remove"}, {"pass", "fail"}, {"succeed", "fail"}, {"success", "fail"}, {"ascending", "descending"},
		{"staging", "production"}, {"sync", "async"}, {"mutable", "immutable"}, {"internal", "external"},
		{"required", "optional"}, {"always", "sometimes"}, {"open", "close"}, {"strict", "lenient"},
		{"approve", "reject"}, {"approve", "deny"}, {"left", "right"}, {"horizontal", "vertical"}, {"first", "last"},
	} {
		a, b := stem(pair[0]), stem(pair[1])
		antonyms[a] = append(antonyms[a], b)
		antonyms[b] = append(antonyms[b], a)
	}
}

// numerals are the number words that stand for a digit in a paraphrase.
var numerals = map[string]string{
	"zero": "0", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9",
	"ten": "10", "eleven": "11", "twelve": "12", "twenty": "20", "thirty": "30", "hundred": "100",
}

// extensions are those of files that people name without a folder.
var extensions = words(`go rs py js ts tsx jsx mjs cjs md mdx json jsonl json5 yaml yml toml txt sh bash zsh fish ps1 bat c h
	cc cpp hpp cxx cs java kt kts swift rb php pl lua r scala clj ex exs erl hs ml sql html htm css scss sass less vue
	svelte csv tsv xml ini cfg conf env lock mod sum log proto graphql tf ipynb png jpg jpeg gif svg pdf gz zip tar
	gradle cmake mk patch diff rst tex bin exe dll so wasm db sqlite pem crt traj`)
