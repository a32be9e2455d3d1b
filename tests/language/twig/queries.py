"""The sixteen queries of the CEDMFT paper's Table 6."""

QUERIES = {
    "Q1.1": "//dblp/article[/author][//title][//url][//ee]//year",
    "Q1.2": "//dblp[//article[/author->A][/title][/pages][/year]]",
    "Q1.3": "//dblp[//article(/author->A:/title:/pages:/year)]",
    "Q1.4": "//dblp[//article(/author->A:/title:(/pages|/year))]",
    "Q1.5": "//dblp[//article(/author->A:/title:(/pages*):/year)]",
    "Q2.1": "//S/VP//PP[//NN][//NP[//CD]/VBN]/IN",
    "Q2.2": "//VP[/PP[/IN][/NP->N[/CD][/VBN]]]",
    "Q2.3": "//VP[/PP(/IN:/NP->N[/CD][/VBN])]",
    "Q2.4": "//VP[/PP(/IN|/NP->N[/CD][/VBN])]",
    "Q2.5": "//VP[PP(/IN*|/NP->N[/CD][/VBN])]",
    "Q3.1": "//item[/location][//mailbox/mail//emph][/description//keyword]",
    "Q3.2": "//people[//person[/address->A[/zipcode]][/profile[/education][//age]]]",
    "Q3.3": "//people[//person(/address->A[/zipcode]:/profile[/education][//age])]",
    "Q3.4": "//people[//person(/address->A[/zipcode]|/profile[/education][//age])]",
    "Q3.5": "//people[//person((/address->A[/zipcode])*:/profile[/education][//age])]",
    "Q3.6": "//people[//person[/address->A[/zipcode=6]][/profile[/education][//age]]]",
}
